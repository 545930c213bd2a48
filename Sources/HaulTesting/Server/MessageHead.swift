/// One header line of a request or response.
public struct HeaderLine: Sendable, Hashable {
    /// The name as sent.
    public let name: String
    /// The value as sent.
    public let value: String

    /// Makes a line.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    func isNamed(_ other: String) -> Bool { name.lowercased() == other.lowercased() }
}

extension [HeaderLine] {
    /// The value of the first line with a name; case is ignored.
    public subscript(_ name: String) -> String? { first { $0.isNamed(name) }?.value }

    mutating func set(_ name: String, _ value: String?) {
        let place = firstIndex { $0.isNamed(name) }
        removeAll { $0.isNamed(name) }
        guard let value else { return }
        insert(HeaderLine(name, value), at: Swift.min(place ?? count, count))
    }
}

/// Formats status lines and heads as bytes.
enum StatusLine {
    static func head(_ code: Int, _ headers: [HeaderLine]) -> [UInt8] {
        var bytes = Array("HTTP/1.1 \(code) \(reason(code))\r\n".utf8)
        for line in headers {
            bytes += line.name.utf8
            bytes += ": ".utf8
            bytes += line.value.utf8
            bytes += "\r\n".utf8
        }
        return bytes + Array("\r\n".utf8)
    }

    /// Returns true if responses with the status have neither body nor length (RFC 9110, 8.6 and 15).
    static func isBodiless(_ code: Int) -> Bool { code < 200 || code == 204 || code == 304 }

    static func reason(_ code: Int) -> String { reasons[code] ?? "Status" }

    private static let reasons = [
        100: "Continue", 102: "Processing", 103: "Early Hints",
        200: "OK", 204: "No Content", 206: "Partial Content",
        301: "Moved Permanently", 302: "Found", 303: "See Other", 304: "Not Modified", 307: "Temporary Redirect",
        308: "Permanent Redirect",
        400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
        410: "Gone", 416: "Range Not Satisfiable", 429: "Too Many Requests", 431: "Request Header Fields Too Large",
        500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]
}
