import HaulCore
import HaulTestData

/// Redirects as real servers send them.
extension SloppyCase {
    /// A case with a redirect from `/d/f?q` to the file at a path; `%H` in the location is replaced by the server's
    /// host and port.
    private static func redirect(
        _ name: String, _ location: String, to path: String, status: Int = 302, lines: [String] = [], body: String = "",
        newline: String = "\r\n", outcome: Outcome = .file("f")
    ) -> SloppyCase {
        let source = content.script { facts in
            let host = facts.header("Host") ?? ""
            let fields =
                ["HTTP/1.1 \(status) Found"] + lines + [
                    "Location: " + location.replacing("%H", with: host), "Content-Length: \(body.utf8.count)", "", body,
                ]
            return .raw(fields.joined(separator: newline).latin1, closes: false)
        }
        return SloppyCase(
            "redirects", name, path: "/d/f", ["/d/f": source, path: resource(SloppyResponse())], outcome)
    }

    static let redirects: [SloppyCase] = spelling + authorities + statuses

    private static let spelling: [SloppyCase] = [
        redirect("a space in the path", "/a b", to: "/a%20b"),
        redirect("spaces around it", "   /x  ", to: "/x"),
        redirect("a space in the query", "/x?a b=c d", to: "/x"),
        redirect("raw UTF-8", "/" + "ä/ü".utf8Bytes, to: "/%C3%A4/%C3%BC"),
        redirect("raw Latin-1", "/caf\u{E9}", to: "/caf%E9"),
        redirect("raw Latin-1 with LF alone", "/caf\u{E9}", to: "/caf%E9", newline: "\n"),
        redirect("raw Shift-JIS", "/\u{83}\u{65}\u{83}\u{58}", to: "/%83e%83X"),
        redirect("raw bytes in the query", "/x?n=\u{E4}", to: "/x"),
        redirect("a backslash in the path", "/a\\b", to: "/a/b"),
        redirect("backslashes only", "\\a\\b", to: "/a/b"),
        redirect("a backslash in the query stays", "/x?a\\b", to: "/x"),
        redirect("dot segments", "/a/./b/../c", to: "/a/c"),
        redirect("dot segments above the root", "../../../x", to: "/x"),
        redirect("a dot segment with a backslash", "..\\x", to: "/x"),
        redirect("a tab in the path", "/a\tb", to: "/ab"),
        redirect("a control byte in the path", "/a\u{1}b", to: "/a%01b"),
        redirect("a percent sign that begins nothing", "/100%", to: "/100%25"),
        redirect("quotes, braces and a pipe", "/a\"{b}|c", to: "/a%22%7Bb%7D%7Cc"),
        redirect("square brackets", "/a[1]", to: "/a%5B1%5D"),
        redirect("a fragment", "/x#part", to: "/x"),
        redirect("a fragment with a slash and a question mark", "/x#/y?z", to: "/x"),
        redirect("a colon in a relative path", "./a:b", to: "/d/a:b"),
        redirect("an unencoded URL in the query", "/x?to=http://a/b\\c", to: "/x"),
        redirect("folded", "\r\n /x", to: "/x"),
        redirect("the same location twice", "/x", to: "/x", lines: ["Location: /x"]),
        redirect("an empty location in front", "/x", to: "/x", lines: ["Location:"]),
        redirect("two different locations", "/x", to: "/x", lines: ["Location: /y"], outcome: .fails(.redirectRefused)),
        redirect("a comma in the location", "/x,y", to: "/x,y"),
        redirect("an empty location", "", to: "/x", outcome: .fails(.redirectRefused)),
    ]

    private static let authorities: [SloppyCase] = [
        redirect("no scheme", "//%H/x", to: "/x"),
        redirect("no scheme and three slashes", "///%H/x", to: "/x"),
        redirect("no scheme and backslashes", "\\\\%H\\x", to: "/x"),
        redirect("a host without a scheme is a relative path", "www.example.com/x", to: "/d/www.example.com/x"),
        redirect("a scheme in capitals", "HTTP://%H/x", to: "/x"),
        redirect("a scheme in mixed case", "hTtP://%H/x", to: "/x"),
        redirect("backslashes behind the scheme", "http:\\\\%H\\x", to: "/x"),
        redirect("a third slash behind the scheme", "http:///%H/x", to: "/x"),
        redirect("one slash behind the own scheme is relative", "http:/x", to: "/x"),
        redirect("no slash behind the own scheme is relative", "http:x", to: "/d/x"),
        redirect("no path", "http://%H", to: "/"),
        redirect("no path but a query", "http://%H?x=y", to: "/"),
        redirect("a file", "file:///etc/passwd", to: "/x", outcome: .fails(.redirectRefused)),
        redirect("a script", "javascript:alert(1)", to: "/x", outcome: .fails(.redirectRefused)),
        redirect("a port that is not a number", "http://127.0.0.1:x/", to: "/x", outcome: .fails(.redirectRefused)),
    ]

    private static let statuses: [SloppyCase] = [
        redirect("300 with a location", "/x", to: "/x", status: 300),
        redirect("303", "/x", to: "/x", status: 303),
        redirect("307", "/x", to: "/x", status: 307),
        redirect("308", "/x", to: "/x", status: 308),
        redirect("a body", "/x", to: "/x", body: "<a href=x>moved</a>"),
        redirect("a large body", "/x", to: "/x", body: String(repeating: "moved ", count: 100_000)),
        redirect("a body with LF alone", "/x", to: "/x", body: "moved", newline: "\n"),
        redirect("a cookie in Latin-1", "/x", to: "/x", lines: ["Set-Cookie: a=\u{E4}; path=/"]),
        SloppyCase(
            "redirects", "a cookie that the target wants",
            [
                "/f": Resource.text("").script { _ in
                    .status(302, ["Location": "/g", "Set-Cookie": "seen=yes; Path=/"])
                },
                "/g": content.script { facts in
                    facts.header("Cookie") == "seen=yes" ? .normal : .status(403)
                },
            ], .file("f")),
        SloppyCase(
            "redirects", "to itself with a cookie",
            [
                "/f": content.script { facts in
                    facts.header("Cookie") == nil
                        ? .status(302, ["Location": "/f", "Set-Cookie": "seen=yes; Path=/"]) : .normal
                }
            ], .file("f")),
    ]
}
