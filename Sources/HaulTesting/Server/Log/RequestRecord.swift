/// A request and its response.
public struct RequestRecord: Sendable {
    /// The ways in which a response ends.
    public enum Ending: Sendable, Hashable {
        /// It was sent completely.
        case complete
        /// The script cut or reset the connection.
        case broken
        /// The client closed or reset the connection.
        case clientLeft
        /// The server was stopped.
        case stopped
    }

    /// The request.
    public let facts: RequestFacts
    /// The status of the response; 0 if there was none.
    public internal(set) var status = 0
    /// The number of body bytes that the socket has accepted, without chunk framing.
    ///
    /// The send buffer is small, so little of it is still in transit.
    public internal(set) var bodyBytes: Int64 = 0
    /// The end of the response; nil while it is being sent.
    public internal(set) var ending: Ending?
    /// The time when the response ended.
    public internal(set) var finished: ContinuousClock.Instant?
    /// The range of the file that the response is about; nil if its body is something else.
    public internal(set) var responded: Range<Int64>?

    /// The range of the file that the socket has accepted.
    public var served: Range<Int64>? {
        responded.map { $0.lowerBound..<min($0.upperBound, $0.lowerBound + bodyBytes) }
    }
}
