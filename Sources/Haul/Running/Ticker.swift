import Dispatch
import Synchronization

/// Time passing, told to every run of an engine at once: one timer for all of them, and none while nothing runs.
///
/// It is no run's own, so it belongs to a queue and not to anybody's tasks.
final class Ticker: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
        var isRunning = false
    }

    private static let interval = DispatchTimeInterval.milliseconds(100)

    private let queue = DispatchQueue(label: "haul.ticks")
    private let state = Mutex(State())

    /// Calls `listener` every 100 ms until `remove` with the number that is returned.
    func add(_ listener: @escaping @Sendable () -> Void) -> Int {
        let (number, begins) = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            defer { state.isRunning = true }
            return (state.lastNumber, !state.isRunning)
        }
        if begins { wait() }
        return number
    }

    /// Ends the calls of a listener.
    func remove(_ number: Int) {
        state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }

    private func wait() {
        queue.asyncAfter(deadline: .now() + Self.interval) { [self] in
            let listeners = state.withLock { state in
                state.isRunning = !state.listeners.isEmpty
                return Array(state.listeners.values)
            }
            for listener in listeners { listener() }
            if !listeners.isEmpty { wait() }
        }
    }
}
