import Dispatch
import HaulLibC
import Synchronization

/// A timer for all runs of an engine, which stops while nothing runs.
///
/// It belongs to no run, so it uses a dispatch queue instead of tasks.
final class Ticker: Sendable {
    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var lastNumber = 0
        var isRunning = false
    }

    private static let interval = Duration.milliseconds(100)

    private let queue = DispatchQueue(label: "haul.ticks")
    private let state = Mutex(State())
    private let clock: TimeSource

    /// Creates a timer that goes by a clock.
    init(_ clock: TimeSource = .system) { self.clock = clock }

    /// Calls `listener` every 100 ms, until `remove` is called with the returned number.
    func add(_ listener: @escaping @Sendable () -> Void) -> Int {
        let (number, begins) = state.withLock { state in
            state.lastNumber += 1
            state.listeners[state.lastNumber] = listener
            defer { state.isRunning = true }
            return (state.lastNumber, !state.isRunning)
        }
        if begins { wait(from: clock.now) }
        return number
    }

    /// Ends the calls of a listener.
    func remove(_ number: Int) {
        state.withLock { _ = $0.listeners.removeValue(forKey: number) }
    }

    /// Waits for the next tick.
    ///
    /// The interval begins before the listeners are called: if a test moves its clock meanwhile, the next tick comes at once.
    private func wait(from instant: ContinuousClock.Instant) {
        clock.call(at: instant + Self.interval, on: queue) { [self] in
            let now = clock.now
            let listeners = state.withLock { state in
                state.isRunning = !state.listeners.isEmpty
                return Array(state.listeners.values)
            }
            for listener in listeners { listener() }
            if !listeners.isEmpty { wait(from: now) }
        }
    }
}
