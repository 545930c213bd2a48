import Synchronization

/// Schedules the times at which bytes may be sent, to keep a rate.
///
/// A pacer may be shared by all connections, or belong to one.
final class Pacer: Sendable {
    private struct State {
        var bytesPerSecond: Int64?
        var next = ContinuousClock.now
        /// The number of bytes that may be scheduled before the rate drops; nil for no limit.
        var left: Int64?
    }

    private let state: Mutex<State>

    init(_ bytesPerSecond: Int64?) {
        state = Mutex(State(bytesPerSecond: bytesPerSecond))
    }

    /// Changes the rate, or removes it for nil; also ends the effect of `hold`.
    func set(_ bytesPerSecond: Int64?) {
        state.withLock { $0 = State(bytesPerSecond: bytesPerSecond) }
    }

    /// Slows down to 1000 bytes a second after `bytes` more bytes.
    func hold(after bytes: Int64) {
        state.withLock { $0.left = bytes }
    }

    /// The largest slice that keeps the flow smooth: a twentieth of a second.
    var slice: Int64? {
        state.withLock { $0.bytesPerSecond.map { max(1, $0 / 20) } }
    }

    /// Schedules a number of bytes and returns the time at which they may be sent; nil if there is no limit.
    ///
    /// A late sender may catch up by at most one slice.
    func book(_ count: Int, now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        state.withLock { state in
            if let left = state.left {
                if left <= 0 { state.bytesPerSecond = 1000 }
                state.left = left - Int64(count)
            }
            guard let rate = state.bytesPerSecond, rate > 0 else { return nil }
            let start = max(state.next, now - .milliseconds(50))
            state.next = start + .seconds(Double(count) / Double(rate))
            return start
        }
    }
}
