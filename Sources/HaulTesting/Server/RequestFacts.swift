/// The facts about a request on which a script bases its response.
package struct RequestFacts: Sendable {
    /// The method, as sent.
    package let method: String
    /// The request target, as sent.
    package let target: String
    /// The version, as sent: `HTTP/1.1`.
    package let version: String
    /// Every header line, in order.
    package let headers: [HeaderLine]
    /// The start of the body, at most 64 KiB.
    package let body: [UInt8]
    /// The number of the request among those for the same path, from 1.
    package let number: Int
    /// The number of the request on this server, from 1.
    package let globalNumber: Int
    /// The number of the connection, from 1.
    package let connection: Int
    /// The number of the request on its connection, from 1.
    package let numberOnConnection: Int
    /// The number of requests being answered on this server, including this one.
    package let concurrent: Int
    /// The number of open connections, including this one.
    package let openConnections: Int

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// The part of the target after the question mark.
    package var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
    /// All requested ranges; empty if the header is missing or malformed.
    package var ranges: [RequestedRange] { RequestedRange.list(header("Range")) }
    /// The requested range; nil if there is not exactly one.
    package var range: RequestedRange? { ranges.count == 1 ? ranges.first : nil }
    /// The first requested offset; 0 without a range.
    package var start: Int64 { range?.first ?? 0 }

    /// Returns the value of the first header with a name; case is ignored.
    package func header(_ name: String) -> String? { headers[name] }
}
