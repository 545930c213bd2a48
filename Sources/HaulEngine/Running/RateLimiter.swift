package import HaulCore
package import HaulLibC
import Synchronization

/// A rate limit shared by several connections, which can be changed at any time.
///
/// A change reaches connections that are held back the next time they are woken, within 100 ms; the size of reads
/// changes with the next read.
package final class RateLimiter: Sendable {
    /// A schedule of limits by time of day.
    private struct Plan {
        var schedule: RateSchedule
        /// The last time that the schedule was evaluated.
        var looked: Duration?
    }

    private struct State {
        var bucket: TokenBucket
        var plan: Plan?
    }

    /// Returns the seconds since 1970, and the seconds by which local time is ahead of UTC.
    package typealias TimeOfDay = @Sendable () -> (instant: Int64, utcOffset: Int)

    private let state: Mutex<State>
    /// True if there is a limit, or a schedule: without one, the hot path takes no lock.
    private let isLimited: Atomic<Bool>
    private let readBytes: Atomic<Int>
    private let origin: ContinuousClock.Instant
    private let clock: TimeSource
    private let timeOfDay: TimeOfDay

    /// The interval for evaluating a schedule: the clock may be set, and daylight saving time may begin.
    private static let lookInterval: Duration = .seconds(1)

    /// Creates a limiter; nil or 0: no limit for now.
    package init(bytesPerSecond: Int64?, clock: TimeSource = .system, timeOfDay: TimeOfDay? = nil) {
        let bytesPerSecond = Self.limit(bytesPerSecond)
        state = Mutex(State(bucket: TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero)))
        isLimited = Atomic(bytesPerSecond != nil)
        readBytes = Atomic(Self.readBytes(bytesPerSecond))
        self.clock = clock
        origin = clock.now
        self.timeOfDay = timeOfDay ?? { clock.timeOfDay() }
    }

    /// Changes the limit; nil or 0: none.
    package func set(bytesPerSecond: Int64?) {
        let bytesPerSecond = Self.limit(bytesPerSecond)
        let now = clock.now - origin
        state.withLock { state in
            state.plan = nil
            apply(bytesPerSecond, &state, now: now)
            isLimited.store(bytesPerSecond != nil, ordering: .releasing)
        }
    }

    /// Replaces the limit by a schedule.
    package func set(_ schedule: RateSchedule) {
        let now = clock.now - origin
        state.withLock { state in
            state.plan = Plan(schedule: schedule)
            follow(&state, now: now)
            isLimited.store(true, ordering: .releasing)
        }
    }

    /// Takes bytes that have just arrived.
    ///
    /// - Returns: The mark that must be reached before more may be read, or nil if more may be read at once.
    func take(_ bytes: Int) -> Double? {
        guard isLimited.load(ordering: .acquiring) else { return nil }
        let now = clock.now - origin
        return state.withLock { state in
            follow(&state, now: now)
            return state.bucket.take(bytes, now: now) > .zero ? state.bucket.mark : nil
        }
    }

    /// Returns the time until a mark is reached at the present rate.
    func delay(until mark: Double) -> Duration {
        guard isLimited.load(ordering: .acquiring) else { return .zero }
        let now = clock.now - origin
        return state.withLock { state in
            follow(&state, now: now)
            return state.bucket.delay(until: mark, now: now)
        }
    }

    /// Waits until everything that was taken by now is earned.
    ///
    /// A small file arrives at once, and is paid for by the request that comes next.
    func settled() async {
        guard let mark = take(0) else { return }
        // In steps, because the limit may change.
        while !Task.isCancelled {
            let rest = delay(until: mark)
            guard rest > .zero else { return }
            try? await clock.sleep(until: clock.now + min(rest, .milliseconds(100)))
        }
    }

    /// True if there is neither a limit nor a schedule.
    var isUnlimited: Bool { !isLimited.load(ordering: .acquiring) }

    /// The maximum size of a read that keeps the rate smooth: about 1/20 of a second's bytes.
    var largestRead: Int { readBytes.load(ordering: .relaxed) }

    private func follow(_ state: inout State, now: Duration) {
        guard let plan = state.plan, plan.looked.map({ now - $0 >= Self.lookInterval }) ?? true else { return }
        state.plan?.looked = now
        let time = timeOfDay()
        let rate = plan.schedule.rate(at: time.instant, utcOffset: time.utcOffset)
        guard plan.looked == nil || state.bucket.rate != rate.map({ Double($0) }) else { return }
        apply(rate, &state, now: now)
    }

    private func apply(_ rate: Int64?, _ state: inout State, now: Duration) {
        state.bucket.set(bytesPerSecond: rate, now: now)
        readBytes.store(Self.readBytes(rate), ordering: .relaxed)
    }

    private static func limit(_ rate: Int64?) -> Int64? { rate.flatMap { $0 > 0 ? $0 : nil } }

    private static func readBytes(_ rate: Int64?) -> Int { rate.map { largestRead(at: $0) } ?? .max }

    /// Returns the maximum size of a read at a rate: a slow limit is smooth only with small reads.
    static func largestRead(at rate: Int64) -> Int { Int(min(max(rate / 20, 4 << 10), 1 << 20)) }
}

/// The marks that a connection's limiters must reach before more is read.
///
/// The longest delay counts.
struct RateHold {
    private var marks: [(limiter: RateLimiter, mark: Double)] = []

    /// Takes bytes from all limiters; nil if none of them holds the connection back.
    init?(_ bytes: Int, from limiters: [RateLimiter]) {
        for limiter in limiters {
            guard let mark = limiter.take(bytes) else { continue }
            marks.append((limiter, mark))
        }
        if marks.isEmpty { return nil }
    }

    /// The time for which nothing may be read, by the current limits.
    var delay: Duration { marks.map { $0.limiter.delay(until: $0.mark) }.max() ?? .zero }
}
