/// What a server has seen: one consistent view.
package struct ServerLog: Sendable {
    /// Every request, in the order in which they came.
    package internal(set) var requests: [RequestRecord] = []
    /// How many body bytes the sockets have taken in all.
    package internal(set) var totalBodyBytes: Int64 = 0
    /// How many requests are being answered.
    package internal(set) var concurrent = 0
    /// The most that were answered at a time.
    package internal(set) var maximumConcurrent = 0
    /// How many connections have been made.
    package internal(set) var connections = 0
    /// How many connections are open.
    package internal(set) var openConnections = 0
    /// The most connections that were open at a time.
    package internal(set) var maximumOpenConnections = 0

    /// The requests for a path.
    package func requests(_ path: String) -> [RequestRecord] { requests.filter { $0.facts.path == path } }

    /// How many body bytes the sockets have taken for a path.
    package func bodyBytes(_ path: String) -> Int64 { requests(path).reduce(0) { $0 + $1.bodyBytes } }

    /// How many requests came on a connection.
    package func requests(onConnection number: Int) -> Int { requests.count { $0.facts.connection == number } }

    /// How many bytes of a file were sent more than once, counted once for each time too many.
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
