import Synchronization

/// Asks one run to stop: set once, heard by whoever waits.
final class StopSignal: Sendable {
    private let state = Mutex<(isSet: Bool, waiter: CheckedContinuation<Void, Never>?)>((false, nil))

    /// Sets it.
    func set() { take()?.resume() }

    private func take() -> CheckedContinuation<Void, Never>? {
        state.withLock { state in
            state.isSet = true
            defer { state.waiter = nil }
            return state.waiter
        }
    }

    /// Returns when it is set, or when the task is cancelled.
    ///
    /// One waiter.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isSet = state.withLock { state in
                    if !state.isSet { state.waiter = continuation }
                    return state.isSet
                }
                if isSet { continuation.resume() }
            }
        } onCancel: {
            set()
        }
    }
}
