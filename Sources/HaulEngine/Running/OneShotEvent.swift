import Synchronization

/// An event that occurs once.
package final class OneShotEvent: Sendable {
    private let state = Mutex<(isSet: Bool, waiter: CheckedContinuation<Void, Never>?)>((false, nil))

    /// Creates an event that has not occurred.
    package init() {}

    /// True after `set()`.
    package var isSet: Bool { state.withLock { $0.isSet } }

    /// Sets the event and resumes the waiter.
    package func set() {
        let waiter = state.withLock { state in
            state.isSet = true
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }

    /// Returns when the event is set; cancelling the waiting task sets it as well.
    ///
    /// There may be only one waiter.
    package func wait() async {
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
