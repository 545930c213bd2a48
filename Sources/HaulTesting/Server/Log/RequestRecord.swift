/// What became of one request.
package struct RequestRecord: Sendable {
    /// How an answer ended.
    package enum Ending: Sendable, Hashable {
        /// It was sent to its end.
        case complete
        /// The script cut or reset the connection.
        case broken
        /// The client closed or reset the connection.
        case clientLeft
        /// The server was stopped.
        case stopped
    }

    /// What was asked.
    package let facts: RequestFacts
    /// The status that was answered; 0 where there was none.
    package internal(set) var status = 0
    /// How many bytes of body the socket has taken, without chunk framing.
    ///
    /// The send buffer is small: little of it is still under way.
    package internal(set) var bodyBytes: Int64 = 0
    /// How the answer ended; nothing while it goes on.
    package internal(set) var ending: Ending?
    /// When it ended.
    package internal(set) var finished: ContinuousClock.Instant?
    /// Which bytes of the file the answer is about; nothing where its body is something else.
    package internal(set) var responded: Range<Int64>?

    /// Which bytes of the file the socket has taken.
    package var served: Range<Int64>? {
        responded.map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + bodyBytes) }
    }
}
