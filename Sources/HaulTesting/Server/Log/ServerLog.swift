/// A consistent snapshot of what a server has observed.
public struct ServerLog: Sendable {
    /// All requests, in order of arrival.
    public internal(set) var requests: [RequestRecord] = []
    /// The number of body bytes that the sockets have accepted.
    public internal(set) var totalBodyBytes: Int64 = 0
    /// The number of requests being answered.
    public internal(set) var concurrent = 0
    /// The maximum number of requests answered at a time.
    public internal(set) var maximumConcurrent = 0
    /// The number of connections made.
    public internal(set) var connections = 0
    /// The number of open connections.
    public internal(set) var openConnections = 0
    /// The maximum number of connections open at a time.
    public internal(set) var maximumOpenConnections = 0

    /// Returns the requests for a path.
    public func requests(_ path: String) -> [RequestRecord] { requests.filter { $0.facts.path == path } }

    /// Returns the number of body bytes that the sockets have accepted for a path.
    public func bodyBytes(_ path: String) -> Int64 { requests(path).reduce(0) { $0 + $1.bodyBytes } }

    /// Returns the number of requests on a connection.
    public func requests(onConnection number: Int) -> Int { requests.count { $0.facts.connection == number } }

    /// Returns the number of bytes of a file that were sent again, counting each repetition.
    public func bytesServedAgain(_ path: String) -> Int64 {
        let served = requests(path).compactMap(\.served).sorted { $0.lowerBound < $1.lowerBound }
        var (again, end) = (Int64(0), Int64(0))
        for range in served {
            again += max(0, min(range.upperBound, end) - range.lowerBound)
            end = max(end, range.upperBound)
        }
        return again
    }
}
