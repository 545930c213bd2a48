/// The facts about a request on which a script bases its response.
public struct RequestFacts: Sendable {
    /// The method, as sent.
    public let method: String
    /// The request target, as sent.
    public let target: String
    /// The version, as sent: `HTTP/1.1`.
    public let version: String
    /// Every header line, in order.
    public let headers: [HeaderLine]
    /// The start of the body, at most 64 KiB.
    public let body: [UInt8]
    /// The number of the request among those for the same path, from 1.
    public let number: Int
    /// The number of the request on this server, from 1.
    public let globalNumber: Int
    /// The number of the connection, from 1.
    public let connection: Int
    /// The number of the request on its connection, from 1.
    public let numberOnConnection: Int
    /// The number of requests being answered on this server, including this one.
    public let concurrent: Int
    /// The number of open connections, including this one.
    public let openConnections: Int

    /// The target without its query.
    public var path: String { String(target.prefix { $0 != "?" }) }
    /// The part of the target after the question mark.
    public var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
    /// All requested ranges; empty if the header is missing or malformed.
    public var ranges: [RequestedRange] { RequestedRange.list(header("Range")) }
    /// The requested range; nil if there is not exactly one.
    public var range: RequestedRange? { ranges.count == 1 ? ranges.first : nil }
    /// The first requested offset; 0 without a range.
    public var start: Int64 { range?.first ?? 0 }

    /// Returns the value of the first header with a name; case is ignored.
    public func header(_ name: String) -> String? { headers[name] }
}
