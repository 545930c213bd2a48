import HaulTransport
import Synchronization

/// The handle of a transfer that may need several attempts, each with a handle of its own, one after the other.
final class AttemptHandle: TransferHandle {
    private struct State {
        var handle: (any TransferHandle)?
        /// How many attempts there have been.
        var attempts = 0
        var isCancelled = false
        /// Whether it is over, and the handle, which may hold this, is let go.
        var isOver = false
    }

    private let state = Mutex(State())

    /// Starts an attempt; the one before it must have made its last call.
    ///
    /// - Returns: whether it was started: not after a cancellation.
    func begin(_ start: () -> any TransferHandle) -> Bool {
        let (number, isCancelled) = state.withLock { state in
            state.attempts += 1
            state.handle = nil
            return (state.attempts, state.isCancelled)
        }
        guard !isCancelled else { return false }
        let handle = start()
        let isLate = state.withLock { state in
            // It may be over already, and another one may have begun.
            guard !state.isOver, state.attempts == number else { return false }
            state.handle = handle
            return state.isCancelled
        }
        if isLate {
            handle.cancel()
        } else if number > 1 {
            // A poke that came meanwhile reached nobody.
            handle.wake()
        }
        return true
    }

    /// Lets go of the last attempt.
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
