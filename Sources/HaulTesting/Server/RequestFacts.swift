/// What a script may know of a request before it decides the answer.
package struct RequestFacts: Sendable {
    /// The method, as sent.
    package let method: String
    /// The request target, as sent.
    package let target: String
    /// The version, as sent: `HTTP/1.1`.
    package let version: String
    /// Every header line, in order.
    package let headers: [HeaderLine]
    /// The beginning of its body, 64 KiB at most.
    package let body: [UInt8]
    /// The number of the request among those for the same path, from 1.
    package let number: Int
    /// The number of the request on this server, from 1.
    package let globalNumber: Int
    /// The number of the connection, from 1.
    package let connection: Int
    /// The number of the request on its connection, from 1.
    package let numberOnConnection: Int
    /// How many requests are being answered on this server now, this one included.
    package let concurrent: Int
    /// How many connections are open now, this one included.
    package let openConnections: Int

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }
    /// What stands behind the question mark.
    package var query: String? {
        target.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
    }
    /// Every range asked for; none where the header is absent or not well formed.
    package var ranges: [RequestedRange] { RequestedRange.list(header("Range")) }
    /// The range asked for; nothing where there is none or more than one.
    package var range: RequestedRange? { ranges.count == 1 ? ranges.first : nil }
    /// The first offset asked for: 0 where no range is asked for.
    package var start: Int64 { range?.first ?? 0 }

    /// The value of the first header of that name, whatever its case.
    package func header(_ name: String) -> String? { headers[name] }
}
