import Synchronization

/// Set once, for good, and heard by whoever waits for it.
final class Latch: Sendable {
    private let state = Mutex<(isSet: Bool, waiter: CheckedContinuation<Void, Never>?)>((false, nil))

    /// Whether it is set.
    var isSet: Bool { state.withLock { $0.isSet } }

    /// Sets it.
    func set() {
        let waiter = state.withLock { state in
            state.isSet = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns when it is set; cancelling the waiting task sets it, too.
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
