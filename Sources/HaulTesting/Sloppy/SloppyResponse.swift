import HaulTestData

/// A response of a non-conforming server, built byte by byte.
///
/// All text here represents bytes: each scalar up to U+00FF is one byte, so `"\u{E4}"` is a Latin-1 ä and
/// `"\u{C3}\u{A4}"` is one in UTF-8.
public struct SloppyResponse: Sendable {
    /// The ways to mark the end of the body.
    public enum Framing: Sendable {
        /// `Content-Length`.
        case length
        /// Chunks; the text follows each size, instead of CRLF.
        case chunked(behindSize: String = "\r\n")
        /// The end of the connection.
        case close
        /// A length that only the lines announce; the connection is kept.
        case byLines
        /// Chunks that only the lines announce.
        case chunkedByLines
    }

    /// The text before the status line.
    public var interim = ""
    /// The status line; `%` is replaced by the status.
    public var statusLine = "HTTP/1.1 % OK"
    /// The line end in the head.
    public var newline = "\r\n"
    /// Header lines; `%N` is replaced by the number of bytes in the body.
    public var lines: [String] = []
    /// The framing of the body.
    public var framing = Framing.length
    /// True if ranges are served.
    public var servesRanges = true
    /// The bytes sent instead of the content's.
    public var body: [UInt8]?

    /// Makes the correct response.
    public init() {}

    /// Returns the script that sends the response to a request.
    public func script(_ facts: RequestFacts, _ content: Resource) -> ServerScript {
        let range = servesRanges && body == nil ? facts.range?.resolved(in: content.size) : nil
        let bytes = body ?? content.bytes(range ?? 0..<content.size)
        var text = interim + statusLine.replacing("%", with: range == nil ? "200" : "206") + newline
        for line in lines { text += line.replacing("%N", with: "\(bytes.count)") + newline }
        if let range {
            text += "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)" + newline
        }
        if servesRanges { text += "ETag: \"sloppy\"" + newline }
        switch framing {
        case .length: text += "Content-Length: \(bytes.count)" + newline
        case .chunked: text += "Transfer-Encoding: chunked" + newline
        case .close: text += "Connection: close" + newline
        case .byLines, .chunkedByLines: break
        }
        let head = (text + newline).latin1
        switch framing {
        case .length, .byLines: return .raw(head + bytes, closes: false)
        case .close: return .raw(head + bytes, closes: true)
        case .chunked(let end): return .raw(head + Self.chunks(bytes, end), closes: false)
        case .chunkedByLines: return .raw(head + Self.chunks(bytes, "\r\n"), closes: false)
        }
    }

    private static func chunks(_ bytes: [UInt8], _ end: String) -> [UInt8] {
        let newline = end.hasSuffix("\r\n") ? "\r\n" : "\n"
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 50_000) {
            let piece = bytes[start..<min(start + 50_000, bytes.count)]
            result += (String(piece.count, radix: 16) + end).latin1 + piece + newline.latin1
        }
        return result + ("0" + end + newline).latin1
    }
}
