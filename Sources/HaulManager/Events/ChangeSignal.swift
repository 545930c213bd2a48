import Synchronization

/// Signals changes to tasks that then read the new state themselves; several changes may be seen as one.
package final class ChangeSignal: Sendable {
    private struct State {
        var changeCount: UInt64 = 0
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Creates a signal without changes.
    package init() {}

    /// The number of changes so far; nil after `close()`.
    package var changeCount: UInt64? { state.withLock { $0.isClosed ? nil : $0.changeCount } }

    /// Signals a change.
    package func notify() { wake { $0.changeCount += 1 } }

    /// Ends all waits; there are no more changes.
    package func close() { wake { $0.isClosed = true } }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns after more than `changeCount` changes, after `close()`, or if the task is cancelled.
    package func wait(after changeCount: UInt64) async {
        let token = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.changeCount > changeCount || state.isClosed || Task.isCancelled { return true }
                    state.waiters[token] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: token) }?.resume()
        }
    }
}
