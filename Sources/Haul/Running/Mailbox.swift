import Synchronization

/// A queue of messages with many writers and one reader, which is not disturbed by the cancellation of its task.
///
/// `AsyncStream` ends when its reader's task is cancelled; a download that is cancelled still has to hear its last fetches end.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var reader: CheckedContinuation<[Message], Never>?
    }

    private let state = Mutex(State())

    /// Adds a message.
    ///
    /// Never blocks.
    func post(_ message: Message) {
        let reader = state.withLock { state -> CheckedContinuation<[Message], Never>? in
            guard let reader = state.reader else {
                state.messages.append(message)
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: [message])
    }

    /// All messages that wait, in order; waits for one where there is none.
    ///
    /// One reader at a time.
    func next() async -> [Message] {
        let there = state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
        guard there.isEmpty else { return there }
        return await withCheckedContinuation { continuation in
            let waiting = state.withLock { state -> [Message] in
                guard state.messages.isEmpty else {
                    defer { state.messages = [] }
                    return state.messages
                }
                state.reader = continuation
                return []
            }
            if !waiting.isEmpty { continuation.resume(returning: waiting) }
        }
    }
}
