/// A consistent snapshot of what a server has observed.
package struct ServerLog: Sendable {
    /// All requests, in order of arrival.
    package internal(set) var requests: [RequestRecord] = []
    /// The number of body bytes that the sockets have accepted.
    package internal(set) var totalBodyBytes: Int64 = 0
    /// The number of requests being answered.
    package internal(set) var concurrent = 0
    /// The maximum number of requests answered at a time.
    package internal(set) var maximumConcurrent = 0
    /// The number of connections made.
    package internal(set) var connections = 0
    /// The number of open connections.
    package internal(set) var openConnections = 0
    /// The maximum number of connections open at a time.
    package internal(set) var maximumOpenConnections = 0

    /// Returns the requests for a path.
    package func requests(_ path: String) -> [RequestRecord] { requests.filter { $0.facts.path == path } }

    /// Returns the number of body bytes that the sockets have accepted for a path.
    package func bodyBytes(_ path: String) -> Int64 { requests(path).reduce(0) { $0 + $1.bodyBytes } }

    /// Returns the number of requests on a connection.
    package func requests(onConnection number: Int) -> Int { requests.count { $0.facts.connection == number } }

    /// Returns the number of bytes of a file that were sent again, counting each repetition.
    package func bytesServedAgain(_ path: String) -> Int64 {
        let served = requests(path).compactMap(\.served).sorted { $0.lowerBound < $1.lowerBound }
        var (again, end) = (Int64(0), Int64(0))
        for range in served {
            again += max(0, min(range.upperBound, end) - range.lowerBound)
            end = max(end, range.upperBound)
        }
        return again
    }
}
