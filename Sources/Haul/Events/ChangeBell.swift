import Synchronization

/// Says that something has changed, to those who then look for themselves: however often it rings, the newest look is enough.
package final class ChangeBell: Sendable {
    private struct State {
        var rings: UInt64 = 0
        var nextWaiter: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Makes a bell that has not rung.
    package init() {}

    /// How often it has rung; nil once nothing will change any more.
    package var rings: UInt64? { state.withLock { $0.isClosed ? nil : $0.rings } }

    /// Something has changed.
    package func ring() { wake { $0.rings += 1 } }

    /// Nothing will change any more.
    package func close() { wake { $0.isClosed = true } }

    private func wake(_ change: (inout State) -> Void) {
        let waiters = state.withLock { state in
            change(&state)
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Returns once it has rung more often than `rings` times, is closed, or the task is cancelled.
    package func wait(after rings: UInt64) async {
        let token = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isNews = state.withLock { state in
                    if state.rings > rings || state.isClosed || Task.isCancelled { return true }
                    state.waiters[token] = continuation
                    return false
                }
                if isNews { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: token) }?.resume()
        }
    }
}
