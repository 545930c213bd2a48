import HaulTransport
import Synchronization

/// The handle of a transfer that may need several attempts, one after the other, each with a handle of its own.
final class AttemptHandle: TransferHandle {
    private struct State {
        var handle: (any TransferHandle)?
        /// The number of attempts so far.
        var attempts = 0
        var isCancelled = false
        /// True once the transfer is over; the handle is then released, since it may refer back to this object.
        var isOver = false
    }

    private let state = Mutex(State())

    /// Starts an attempt; the previous one must have made its last call.
    ///
    /// - Returns: True if it was started; false after a cancellation.
    func begin(_ start: () -> any TransferHandle) -> Bool {
        let (number, isCancelled) = state.withLock { state in
            state.attempts += 1
            state.handle = nil
            return (state.attempts, state.isCancelled)
        }
        guard !isCancelled else { return false }
        let handle = start()
        let isLate = state.withLock { state in
            // The attempt may be over, and another one may have begun.
            guard !state.isOver, state.attempts == number else { return false }
            state.handle = handle
            return state.isCancelled
        }
        if isLate {
            handle.cancel()
        } else if number > 1 {
            // A `wake()` during the start had no handle to go to.
            handle.wake()
        }
        return true
    }

    /// Releases the last attempt.
    func end() {
        state.withLock { state in
            state.isOver = true
            state.handle = nil
        }
    }

    func cancel() {
        let handle = state.withLock { state in
            state.isCancelled = true
            return state.handle
        }
        handle?.cancel()
    }

    func wake() { state.withLock { $0.handle }?.wake() }
}
