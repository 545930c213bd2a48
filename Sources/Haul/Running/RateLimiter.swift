import HaulCore
import Synchronization

/// One rate limit shared by all the connections that hold it, to be changed at any time.
///
/// A change reaches connections that are held back at their next poke, within 100 ms; the size of their reads follows with the next read.
package final class RateLimiter: Sendable {
    /// What the limit is at a time of day.
    private struct Plan {
        var schedule: RateSchedule
        /// When it was looked at last.
        var looked: Duration?
    }

    private struct State {
        var bucket: TokenBucket
        var plan: Plan?
    }

    /// Seconds since 1970, and how many the local time is ahead of UTC.
    package typealias TimeOfDay = @Sendable () -> (instant: Int64, utcOffset: Int)

    private let state: Mutex<State>
    /// Whether there is a limit, or may be one later in the day: without one the hot path takes no lock.
    private let isLimited: Atomic<Bool>
    private let readBytes: Atomic<Int>
    private let origin = ContinuousClock.now
    private let timeOfDay: TimeOfDay

    /// A schedule is looked at as often as this: the time of day may be set, and summer time begin.
    private static let lookInterval: Duration = .seconds(1)

    /// Makes a limiter; nil: no limit for now.
    package init(bytesPerSecond: Int64?, timeOfDay: @escaping TimeOfDay = WallClock.timeOfDay) {
        state = Mutex(State(bucket: TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero)))
        isLimited = Atomic(bytesPerSecond != nil)
        readBytes = Atomic(Self.readBytes(bytesPerSecond))
        self.timeOfDay = timeOfDay
    }

    /// Changes the limit; nil: none.
    package func set(bytesPerSecond: Int64?) {
        let now = ContinuousClock.now - origin
        state.withLock { state in
            state.plan = nil
            apply(bytesPerSecond, &state, now: now)
            isLimited.store(bytesPerSecond != nil, ordering: .releasing)
        }
    }

    /// Changes the limit to one that goes by the time of day.
    package func set(_ schedule: RateSchedule) {
        let now = ContinuousClock.now - origin
        state.withLock { state in
            state.plan = Plan(schedule: schedule)
            follow(&state, now: now)
            isLimited.store(true, ordering: .releasing)
        }
    }

    /// Takes bytes that have just arrived.
    ///
    /// - Returns: what has to be earned before more may be read, or nil where more may be read at once.
    func take(_ bytes: Int) -> Double? {
        guard isLimited.load(ordering: .acquiring) else { return nil }
        let now = ContinuousClock.now - origin
        return state.withLock { state in
            follow(&state, now: now)
            return state.bucket.take(bytes, now: now) > .zero ? state.bucket.mark : nil
        }
    }

    /// How long to read nothing, at the present rate, until a mark is earned.
    func delay(until mark: Double) -> Duration {
        guard isLimited.load(ordering: .acquiring) else { return .zero }
        let now = ContinuousClock.now - origin
        return state.withLock { state in
            follow(&state, now: now)
            return state.bucket.delay(until: mark, now: now)
        }
    }

    /// Whether there is no limit now.
    var isUnlimited: Bool { !isLimited.load(ordering: .acquiring) }

    /// How many bytes one read should bring at most, so that the limit is smooth: about a twentieth of a second's.
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

    private static func readBytes(_ rate: Int64?) -> Int { rate.map { largestRead(at: $0) } ?? .max }

    /// How many bytes one read should bring at most at a rate: a slow limit is smooth only with small reads.
    static func largestRead(at rate: Int64) -> Int { Int(min(max(rate / 20, 4 << 10), 1 << 20)) }
}

/// Why a connection is held back: what each of its limits wants earned before more is read.
///
/// The longest delay counts.
struct RateHold {
    private var marks: [(limiter: RateLimiter, mark: Double)] = []

    /// Takes bytes from all limits; nil where none of them holds back.
    init?(_ bytes: Int, from limiters: [RateLimiter]) {
        for limiter in limiters {
            guard let mark = limiter.take(bytes) else { continue }
            marks.append((limiter, mark))
        }
        if marks.isEmpty { return nil }
    }

    /// How long nothing may be read, as the limits are now.
    var delay: Duration { marks.map { $0.limiter.delay(until: $0.mark) }.max() ?? .zero }
}
