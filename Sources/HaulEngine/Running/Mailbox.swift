import Synchronization

/// A queue of messages with many writers and one reader, whose task may be cancelled.
///
/// `AsyncStream` ends when its reader's task is cancelled; a cancelled download must still receive the ends of its last
/// fetches.
package final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var reader: CheckedContinuation<[Message], Never>?
    }

    private let state = Mutex(State())

    /// Creates an empty mailbox.
    package init() {}

    /// Adds a message.
    ///
    /// Never blocks.
    package func post(_ message: Message) {
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

    /// Returns all queued messages, in order; waits for one if there is none.
    ///
    /// Only one reader at a time.
    package func next() async -> [Message] {
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
