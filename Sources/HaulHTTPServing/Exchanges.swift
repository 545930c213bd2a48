/// The requests of a connection that are not answered yet, and when a fault among them is answered.
///
/// Answers go out in the order of the requests (RFC 9112, section 9.3.2): a fault waits for the answers to the requests before it, and
/// takes the place of the answer to its own request if that has not begun.
package struct Exchanges: Hashable, Sendable {
    /// What to do now.
    package enum Step: Hashable, Sendable {
        /// Nothing: requests and answers pass.
        case pass
        /// Answer the fault and close; nothing passes any more.
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

    /// Makes a connection without requests.
    package init() {}

    /// Whether more of what the client sends is read.
    package var reads: Bool { !isFaulty && !isOver }
    /// Whether answers are written.
    package var writes: Bool { !isOver }
    /// Whether the next answer's head is that of the last one.
    package var isLastResponse: Bool { isLast && unanswered == 1 }

    /// Whether all is answered although the last request is not complete: its rest may still be on its way.
    package var isAnsweredEarly: Bool { isReading && unanswered == 0 && !isWriting && !isOver }

    /// Notes that nothing passes any more.
    package mutating func end() { isOver = true }

    /// Notes the head of a request.
    ///
    /// - Parameter isLast: Whether no other request can follow on this connection.
    package mutating func begin(isLast: Bool) {
        unanswered += 1
        isReading = true
        self.isLast = isLast
    }

    /// Notes that a request is complete.
    package mutating func complete() { isReading = false }

    /// Notes that an answer begins.
    package mutating func beginResponse() { isWriting = true }

    /// Notes that an answer is complete.
    package mutating func completeResponse() -> Step {
        isWriting = false
        unanswered = max(unanswered - 1, 0)
        if isLast, unanswered == 0, !isFaulty {
            isOver = true
            return .close
        }
        return next()
    }

    /// Notes that what the client sends is faulty from here on.
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
