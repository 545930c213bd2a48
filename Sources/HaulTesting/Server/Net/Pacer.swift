import Synchronization

/// Gives out times at which bytes may be sent, so that a rate is kept.
///
/// Shared by all connections, or one per connection.
final class Pacer: Sendable {
    private struct State {
        var bytesPerSecond: Int64?
        var next = ContinuousClock.now
        /// What may still be booked before next to nothing flows; nothing: as much as one likes.
        var left: Int64?
    }

    private let state: Mutex<State>

    init(_ bytesPerSecond: Int64?) {
        state = Mutex(State(bytesPerSecond: bytesPerSecond))
    }

    /// Changes the rate; nothing lifts it, and with it what `hold` asked for.
    func set(_ bytesPerSecond: Int64?) {
        state.withLock { $0 = State(bytesPerSecond: bytesPerSecond) }
    }

    /// After so many bytes more only 1000 flow in a second.
    func hold(after bytes: Int64) {
        state.withLock { $0.left = bytes }
    }

    /// The largest slice that keeps the flow smooth: a twentieth of a second.
    var slice: Int64? {
        state.withLock { $0.bytesPerSecond.map { max(1, $0 / 20) } }
    }

    /// Books so many bytes and returns when they may be sent; nothing where there is no limit.
    ///
    /// A sender that comes late may catch up by one slice, no more.
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
