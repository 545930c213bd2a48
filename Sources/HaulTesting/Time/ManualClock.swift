package import HaulLibC
import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock that only moves when a test advances it.
///
/// A manager that was created over a `ScriptedTransport` goes by the transport's manual clock: its delays between
/// attempts, its timeouts, rate limits and not-before times.
///
/// `sleep` returns when `advance` has moved the clock to its deadline, or throws `CancellationError` if its task is
/// cancelled. Sleepers wake in the order of their deadlines.
public final class ManualClock: Clock {
    /// A moment of a manual clock: the time since the clock was made.
    public struct Instant: InstantProtocol {
        /// The time since the clock was made.
        public let offset: Duration

        /// Makes the instant at an offset from the clock's creation.
        public init(_ offset: Duration) {
            self.offset = offset
        }

        /// Returns the instant that is later by a duration.
        public func advanced(by duration: Duration) -> Instant { Instant(offset + duration) }
        /// Returns the time until another instant.
        public func duration(to other: Instant) -> Duration { other.offset - offset }
        /// Returns true if the first instant is earlier.
        public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private struct Sleeper {
        let id: Int
        let deadline: Instant
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct Watcher {
        let id: Int
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now = Instant(.zero)
        var nextID = 0
        var sleepers: [Sleeper] = []
        var watchers: [Watcher] = []
        /// Sleeps that were cancelled before they started to wait.
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// The date at offset zero.
    private let start: Date
    /// The instant of offset zero for users of another clock type.
    let base = ContinuousClock.now

    /// Makes a clock at offset zero.
    ///
    /// - Parameter date: The date at that offset; the start of 2026 (UTC) by default.
    public init(date: Date = Date(timeIntervalSince1970: 1_767_225_600)) { start = date }

    /// The current date.
    public var date: Date { start.addingTimeInterval(now.offset / .seconds(1)) }

    /// The current instant.
    public var now: Instant { state.withLock { $0.now } }

    /// The resolution: manual clocks are exact.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// The number of current sleepers.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The earliest deadline of a sleeper.
    public var nextDeadline: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

    /// Moves the clock and wakes the sleepers whose deadlines have passed.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now.advanced(by: duration)
            let due = state.sleepers.filter { $0.deadline <= state.now }
            state.sleepers.removeAll { $0.deadline <= state.now }
            return due.sorted { ($0.deadline, $0.id) < ($1.deadline, $1.id) }
        }
        for sleeper in woken {
            sleeper.continuation.resume()
        }
    }

    /// Waits until there are at least `count` sleepers, so that a test can advance the clock, or the task is cancelled.
    public func sleepers(atLeast count: Int) async {
        let id = makeID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if Task.isCancelled || state.sleepers.count >= count { return true }
                    state.watchers.append(Watcher(id: id, count: count, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let watcher = state.withLock { state in
                state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
            }
            watcher?.continuation.resume()
        }
    }

    /// Sleeps until the clock has reached the deadline.
    ///
    /// The tolerance is ignored.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        let id = makeID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                begin(Sleeper(id: id, deadline: deadline, continuation: continuation))
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func makeID() -> Int {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    private func begin(_ sleeper: Sleeper) {
        enum Step { case wake, cancel, wait([Watcher]) }
        let step = state.withLock { state in
            // The cancellation handler may run before the continuation exists.
            if state.cancelled.remove(sleeper.id) != nil { return Step.cancel }
            if sleeper.deadline <= state.now { return .wake }
            state.sleepers.append(sleeper)
            let count = state.sleepers.count
            let served = state.watchers.filter { $0.count <= count }
            state.watchers.removeAll { $0.count <= count }
            return .wait(served)
        }
        switch step {
        case .wake: sleeper.continuation.resume()
        case .cancel: sleeper.continuation.resume(throwing: CancellationError())
        case .wait(let watchers): for watcher in watchers { watcher.continuation.resume() }
        }
    }

    private func cancel(_ id: Int) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}

extension ManualClock {
    /// The clock as engines and managers use it.
    package var source: TimeSource {
        let base = base
        return TimeSource(
            TimeSource.Substitute(
                now: { base + self.now.offset },
                milliseconds: { self.date.milliseconds },
                sleep: { try await self.sleep(until: Instant($0 - base)) }))
    }
}
