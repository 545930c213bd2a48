import Synchronization

/// Time passing, told to every run of an engine at once: one timer for all of them, and none while nothing runs.
final class Ticker: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
        var isRunning = false
    }

    private static let interval: Duration = .milliseconds(100)

    private let state = Mutex(State())

    /// Calls `listener` every 100 ms until `remove` with the number that is returned.
    func add(_ listener: @escaping @Sendable () -> Void) -> Int {
        let (number, begins) = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            defer { state.isRunning = true }
            return (state.lastNumber, !state.isRunning)
        }
        if begins { Task.detached { await self.run() } }
        return number
    }

    /// Ends the calls of a listener.
    func remove(_ number: Int) {
        state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }

    private func run() async {
        while let listeners = next() {
            for listener in listeners { listener() }
            try? await Task.sleep(for: Self.interval)
        }
    }

    /// Who is called now; nil where nobody is left, which ends the timer.
    private func next() -> [@Sendable () -> Void]? {
        state.withLock { state in
            state.isRunning = !state.listeners.isEmpty
            return state.isRunning ? Array(state.listeners.values) : nil
        }
    }
}
