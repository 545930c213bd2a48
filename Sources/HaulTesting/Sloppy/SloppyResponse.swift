/// A response of a sloppy server, put together byte by byte.
///
/// All text here stands for bytes: each scalar up to U+00FF is one byte, so `"\u{E4}"` is a Latin-1 ä and `"\u{C3}\u{A4}"` one in UTF-8.
package struct SloppyResponse: Sendable {
    /// What marks the end of the body.
    package enum Framing: Sendable {
        /// `Content-Length`.
        case length
        /// Chunks; the text stands behind each size, in place of CRLF.
        case chunked(behindSize: String = "\r\n")
        /// The end of the connection.
        case close
        /// A length that only the lines tell, with the connection kept.
        case byLines
        /// Chunks that only the lines tell.
        case chunkedByLines
    }

    /// What stands before the status line.
    package var interim = ""
    /// The status line up to and with the status, which `%` stands for.
    package var statusLine = "HTTP/1.1 % OK"
    /// What ends a line of the head.
    package var newline = "\r\n"
    /// Header lines; `%N` stands for the number of bytes in the body.
    package var lines: [String] = []
    /// How the end of the body is marked.
    package var framing = Framing.length
    /// Whether ranges are served.
    package var servesRanges = true
    /// What is sent in place of the content's bytes.
    package var body: [UInt8]?

    /// Makes the right response.
    package init() {}

    /// The script that plays it for a request.
    package func script(_ facts: RequestFacts, _ content: Resource) -> ServerScript {
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

extension String {
    /// One byte for each scalar.
    package var latin1: [UInt8] { unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }

    /// The text of which each scalar is one byte of this text in UTF-8.
    package var utf8Bytes: String {
        var result = String.UnicodeScalarView()
        for byte in utf8 { result.append(Unicode.Scalar(byte)) }
        return String(result)
    }
}
