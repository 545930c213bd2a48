import HaulCore
import HaulTestData

/// Heads and framing that violate the grammar of RFC 9112.
extension SloppyCase {
    private static func sloppy(
        _ name: String, _ outcome: Outcome = .file("f"), _ change: (inout SloppyResponse) -> Void
    ) -> SloppyCase {
        SloppyCase("syntax", name, outcome, change)
    }

    /// A case with some header lines before the default ones.
    private static func lines(_ name: String, _ lines: String..., outcome: Outcome = .file("f")) -> SloppyCase {
        sloppy(name, outcome) { $0.lines = lines }
    }

    /// A case with header lines about the length or the chunks.
    private static func framed(
        _ name: String, _ lines: String..., chunked: Bool = false, outcome: Outcome = .file("f")
    ) -> SloppyCase {
        sloppy(name, outcome) { response in
            response.lines = lines
            response.framing = chunked ? .chunkedByLines : .byLines
        }
    }

    static let syntax: [SloppyCase] = lineEnds + fields + lengths + codings + chunkSizes + statusLines + interim

    private static let lineEnds: [SloppyCase] = [
        sloppy("LF alone ends each line") { $0.newline = "\n" },
        sloppy("LF alone, chunked") { response in
            response.newline = "\n"
            response.framing = .chunked(behindSize: "\n")
        },
        sloppy("LF alone, the end of the connection ends the body") { response in
            response.newline = "\n"
            response.framing = .close
            response.servesRanges = false
        },
        lines("one line ends with LF", "X-A: 1\nX-B: 2"),
        lines("CR twice before LF", "X-A: 1\r"),
        lines("CR within a value", "X-A: one\rtwo"),
    ]

    private static let fields: [SloppyCase] = [
        lines("folded with a space", "X-Powered-By: PHP", " and more"),
        lines("folded with a tab", "Content-Type: text/html;", "\tcharset=utf-8"),
        lines("folded three times", "X-A: 1", "  2", "\t3", " 4"),
        lines("folded over an empty line", "Server: x", " "),
        lines("a line without a colon", "this is not a header"),
        lines("two lines without a colon", "nosniff", "SAMEORIGIN"),
        lines("a PHP warning between the fields", "<br /><b>Warning</b> headers already sent"),
        lines("an empty name", ": x"),
        lines("a space in a name", "en-US Content-Type: text/xml"),
        lines("a space before the colon", "Server : Boa"),
        lines("a name in brackets", "<X>: 1"),
        lines("a name with an at sign", "X@Y: 1"),
        lines("a Latin-1 name", "X-\u{E9}: 1"),
        lines("a status line among the fields", "HTTP/1.1 200 OK"),
        lines("a control byte in a value", "X-A: a\u{1}b"),
        lines("NUL in a value", "X-A: a\u{0}b"),
        lines("DEL in a value", "X-A: a\u{7F}b"),
        lines("escape codes in a value", "X-Log: \u{1B}[31mred\u{1B}[0m"),
        lines("Latin-1 in a value", "X-City: K\u{F6}ln"),
        lines("UTF-8 in a value", "X-City: " + "Köln".utf8Bytes),
        lines("invalid UTF-8 in a value", "X-City: \u{C3}\u{28}\u{FF}"),
        lines("an empty value", "X-Empty:"),
        lines("a value of blanks", "X-Empty:    \t "),
        lines("a tab in place of a space", "X-A:\t1"),
        lines("no blank behind the colon", "Server:nginx"),
        lines("200 fields", (0..<200).map { "X-\($0): \($0)" }.joined(separator: "\r\n")),
        lines("a value of 60,000 bytes", "X-Long: " + String(repeating: "x", count: 60_000)),
        lines("the same field many times", "X-A: 1", "X-A: 2", "x-a: 3", "Date: yesterday", "Date: today"),
        lines("a cookie without a value", "Set-Cookie: foo"),
        lines("a cookie without a name", "Set-Cookie: =foo; path=/"),
        lines("an empty cookie", "Set-Cookie:"),
        lines("a cookie with control bytes", "Set-Cookie: a=\u{1}\u{2}; path=/"),
        lines("a cookie in Latin-1", "Set-Cookie: stadt=M\u{FC}nchen; path=/"),
        lines("a cookie with commas and quotes", "Set-Cookie: a=\"b, c\"; expires=Thu, 01 Jan 1970 00:00:00 GMT, d=e"),
        lines("a cookie with an impossible date", "Set-Cookie: a=b; expires=Mon, 99-Foo-0000 99:99:99"),
    ]

    private static let lengths: [SloppyCase] = [
        lines("the same length twice", "Content-Length: %N"),
        lines("the same length three times", "Content-Length: %N", "content-length:%N"),
        framed("equal lengths as a list", "Content-Length: %N, %N"),
        framed("a list without a space", "Content-Length: %N,%N"),
        framed("lengths as lists, twice", "Content-Length: %N, %N", "Content-Length: %N"),
        framed("zeros in front of the length", "Content-Length: 000%N"),
        framed("blanks around the length", "Content-Length: \t %N \t"),
        framed("a plus in front of the length", "Content-Length: +%N", outcome: .fails(.badResponse)),
        framed("conflicting lengths", "Content-Length: %N", "Content-Length: 17", outcome: .fails(.badResponse)),
        framed("conflicting lengths in a list", "Content-Length: %N, 17", outcome: .fails(.badResponse)),
        framed(
            "conflicting lengths, the wrong one first", "Content-Length: 17", "Content-Length: %N",
            outcome: .fails(.badResponse)),
        framed("a negative length", "Content-Length: -%N", outcome: .fails(.badResponse)),
        framed("a length with a unit", "Content-Length: %N bytes", outcome: .fails(.badResponse)),
        framed("a length with a fraction", "Content-Length: %N.0", outcome: .fails(.badResponse)),
        framed("a length in hexadecimal", "Content-Length: 0x100", outcome: .fails(.badResponse)),
        framed("a folded length", "Content-Length:", " %N", outcome: .fails(.badResponse)),
        framed("a length that is folded on", "Content-Length: %N", " 0", outcome: .fails(.badResponse)),
        framed("a length beyond 64 bits", "Content-Length: 99999999999999999999", outcome: .fails(.badResponse)),
        framed("a length without a colon", "Content-Length %N", outcome: .fails(.badResponse)),
    ]

    private static let codings: [SloppyCase] = [
        framed("Content-Length with chunks", "Content-Length: 17", "Transfer-Encoding: chunked", chunked: true),
        framed("chunks with Content-Length", "Transfer-Encoding: chunked", "Content-Length: %N", chunked: true),
        framed("Transfer-Encoding: identity", "Transfer-Encoding: identity", "Content-Length: %N"),
        framed("identity behind the length", "Content-Length: %N", "Transfer-Encoding: Identity"),
        sloppy("identity without a length") { response in
            response.lines = ["Transfer-Encoding: identity"]
            response.framing = .close
            response.servesRanges = false
        },
        framed("identity and chunked", "Transfer-Encoding: identity, chunked", chunked: true),
        framed("CHUNKED in capitals", "Transfer-Encoding: CHUNKED", chunked: true),
        framed("chunked with a blank behind it", "Transfer-Encoding: chunked ", chunked: true),
        framed("chunked with a tab behind it", "Transfer-Encoding: chunked\t", chunked: true),
        framed("chunked and identity", "Transfer-Encoding: chunked, identity", chunked: true),
        framed("chunked, with a comma behind it", "Transfer-Encoding: chunked,", chunked: true),
        framed(
            "chunked and identity as two fields", "Transfer-Encoding: chunked", "Transfer-Encoding: identity",
            chunked: true),
        framed("an empty Transfer-Encoding", "Transfer-Encoding:", "Content-Length: %N"),
        framed(
            "a folded Transfer-Encoding", "Transfer-Encoding:", " chunked", chunked: true,
            outcome: .fails(.badResponse)),
        framed(
            "a space before the colon of Transfer-Encoding", "Transfer-Encoding : chunked", chunked: true,
            outcome: .fails(.badResponse)),
        framed(
            "an unknown transfer coding", "Transfer-Encoding: sausage", "Content-Length: %N",
            outcome: .fails(.contentEncoded)),
    ]

    private static let chunkSizes: [SloppyCase] = [
        sloppy("chunk sizes with a blank behind them") { $0.framing = .chunked(behindSize: " \r\n") },
        sloppy("chunk sizes filled up with blanks") { $0.framing = .chunked(behindSize: "    \t\r\n") },
        sloppy("chunk sizes ended by LF") { $0.framing = .chunked(behindSize: "\n") },
        sloppy("chunk sizes with a blank and LF") { $0.framing = .chunked(behindSize: "  \n") },
        sloppy("chunk extensions") { $0.framing = .chunked(behindSize: ";name=\"a b\";x\r\n") },
        sloppy("chunk extensions behind a blank") { $0.framing = .chunked(behindSize: " ; a=b\r\n") },
        sloppy("chunk sizes followed by letters", .fails(.badResponse)) { $0.framing = .chunked(behindSize: "zz\r\n") },
    ]

    private static let statusLines: [SloppyCase] = [
        sloppy("HTTP/1.0") { $0.statusLine = "HTTP/1.0 % OK" },
        sloppy("HTTP/1.0 that keeps the connection") { response in
            response.statusLine = "HTTP/1.0 % OK"
            response.lines = ["Connection: keep-alive"]
        },
        sloppy("HTTP/1.0 with chunks") { response in
            response.statusLine = "HTTP/1.0 % OK"
            response.framing = .chunked()
        },
        sloppy("HTTP/1.0 without a length") { response in
            response.statusLine = "HTTP/1.0 % OK"
            response.framing = .close
            response.servesRanges = false
        },
        sloppy("HTTP/2.0 over HTTP/1.1") { $0.statusLine = "HTTP/2.0 % OK" },
        sloppy("no reason") { $0.statusLine = "HTTP/1.1 %" },
        sloppy("no reason but a blank") { $0.statusLine = "HTTP/1.1 % " },
        sloppy("a reason in Latin-1") { $0.statusLine = "HTTP/1.1 % Succ\u{E8}s" },
        sloppy("a reason with a tab") { $0.statusLine = "HTTP/1.1 % All\tright" },
        sloppy("a reason with a control byte") { $0.statusLine = "HTTP/1.1 % O\u{1}K" },
        sloppy("no HTTP at all", .fails(.badResponse)) { $0.statusLine = "SSH-2.0-OpenSSH_9.2" },
        sloppy("a status of two digits", .fails(.badResponse)) { $0.statusLine = "HTTP/1.1 20 OK" },
        sloppy("a body without a head", .fails(.badResponse)) { $0.statusLine = "<html>" },
    ]

    private static let interim: [SloppyCase] = [
        sloppy("three interim responses") { response in
            response.interim = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </s.css>\r\n\r\n", count: 3)
        },
        sloppy("fifty interim responses") { response in
            response.interim = String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 50)
        },
        sloppy("an unknown interim response with a length") { response in
            response.interim = "HTTP/1.1 199 What\r\nContent-Length: 5\r\n\r\n"
        },
        sloppy("interim responses with LF alone") { response in
            response.interim = "HTTP/1.1 102 Processing\n\nHTTP/1.1 100 Continue\n\n"
            response.newline = "\n"
        },
        sloppy("an interim response in Latin-1") { response in
            response.interim = "HTTP/1.1 103 Indices pr\u{E9}coces\r\nX: \u{E9}\r\n\r\n"
        },
    ]
}
