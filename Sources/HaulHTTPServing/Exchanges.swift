/// Tracks the unanswered requests of a connection, and determines when a fault among them is answered.
///
/// Responses are sent in the order of the requests (RFC 9112, section 9.3.2): the response to a fault follows those to
/// the requests before it, and replaces the response to its own request if that has not begun.
package struct Exchanges: Hashable, Sendable {
    /// The next action.
    package enum Step: Hashable, Sendable {
        /// Pass requests and responses on.
        case pass
        /// Respond to the fault and close; nothing passes any more.
        case response
        /// Close; nothing passes any more.
        case close
    }

    private var unanswered = 0
    private var isReading = false
    private var isWriting = false
    private var isFaulty = false
    private var isLast = false
    private var isOver = false

    /// Creates the state of a connection without requests.
    package init() {}

    /// True if more input from the client is processed.
    package var reads: Bool { !isFaulty && !isOver }
    /// True if responses are written.
    package var writes: Bool { !isOver }
    /// True if the next response head is that of the last response.
    package var isLastResponse: Bool { isLast && unanswered == 1 }

    /// True if everything is answered although the last request is not complete: its rest may still arrive.
    package var isAnsweredEarly: Bool { isReading && unanswered == 0 && !isWriting && !isOver }

    /// Records that nothing passes any more.
    package mutating func end() { isOver = true }

    /// Records the head of a request.
    ///
    /// - Parameter isLast: True if no other request can follow on this connection.
    package mutating func begin(isLast: Bool) {
        unanswered += 1
        isReading = true
        self.isLast = isLast
    }

    /// Records that a request is complete.
    package mutating func complete() { isReading = false }

    /// Records that a response begins.
    package mutating func beginResponse() { isWriting = true }

    /// Records that a response is complete.
    package mutating func completeResponse() -> Step {
        isWriting = false
        unanswered = max(unanswered - 1, 0)
        if isLast, unanswered == 0, !isFaulty {
            isOver = true
            return .close
        }
        return next()
    }

    /// Records that the client's input is faulty from here on.
    package mutating func fail() -> Step {
        isFaulty = true
        return next()
    }

    private mutating func next() -> Step {
        guard isFaulty, !isOver, !isWriting else { return .pass }
        let own = isReading ? 1 : 0
        guard unanswered <= own else { return .pass }
        isOver = true
        return unanswered == own ? .response : .close
    }
}
