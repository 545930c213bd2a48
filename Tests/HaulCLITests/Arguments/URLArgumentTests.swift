import HaulCore
import Testing

@testable import HaulCLI

@Suite("URLs on the command line") struct URLArgumentTests {
    @Test(
        "a missing scheme is http",
        arguments: [
            "example.org", "example.org/a", "h/a", "localhost", "LOCALHOST", "localhost:8080/a", "h:80", "1.2.3.4",
            "[::1]", "[::1]:8080/a", "example.org?a=b", "me@h/a", "me@h.example:80/a", "bücher.example/ä",
            "example.org/a b", "h:80/a:b",
        ])
    func completed(text: String) throws {
        #expect(URLArgument.completed(text) == "http://" + text)
        #expect(URLArgument.looksLikeDownload(text))
        _ = try SourceURL(parsing: URLArgument.completed(text))
    }

    @Test(
        "other texts are left alone",
        arguments: [
            "", "list", "no-url", "./a", "../a/b", "/a", "//h/a", "http://h/a", "https:/h", "http:", "mailto:a@b.c",
            "magnet:?xt=urn:x", "h:", "h:x/a", ":80/a", "-x.y/z", "?a", "#a", "a b.c", "[a]/b", "http://a.b/c",
        ])
    func left(text: String) {
        #expect(URLArgument.completed(text) == text)
    }

    @Test("blanks around it are not part of it") func blanks() {
        #expect(URLArgument.completed(" \texample.org/a") == "http://example.org/a")
    }

    @Test(
        "patterns",
        arguments: [
            ("h/{a,b}", ["h/a", "h/b"]), ("h/[1-3]", ["h/1", "h/2", "h/3"]), ("h/[9-11]", ["h/9", "h/10", "h/11"]),
            ("h/[08-11]", ["h/08", "h/09", "h/10", "h/11"]), ("h/[a-c]x", ["h/ax", "h/bx", "h/cx"]),
            ("h/[X-Z]", ["h/X", "h/Y", "h/Z"]), ("h/[0-10:5]", ["h/0", "h/5", "h/10"]),
            ("h/[a-e:2]", ["h/a", "h/c", "h/e"]),
            ("h/[1-2:9]", ["h/1"]), ("h/[0-0]", ["h/0"]), ("h/[000-1]", ["h/000", "h/001"]), ("h/{,b}", ["h/", "h/b"]),
            ("{a,b}.h/[1-2]", ["a.h/1", "a.h/2", "b.h/1", "b.h/2"]), ("h/{é,ü}", ["h/é", "h/ü"]),
            ("h/{a\\\\,b,c}", ["h/a,b", "h/c"]), ("h/\\\\{a,b\\\\}", ["h/{a,b}"]), ("h/\\\\[1-2\\\\]", ["h/[1-2]"]),
            ("h/[1-1:9999999999]", ["h/1"]),
            ("h/[0-9223372036854775807:9223372036854775807]", ["h/0", "h/9223372036854775807"]),
            ("h/[0-9223372036854775807:9223372036854775806]", ["h/0", "h/9223372036854775806"]),
        ])
    func patterns(text: String, urls: [String]) throws {
        #expect(try URLPattern.expand(text.replacing("\\\\", with: "\\")) == urls)
    }

    @Test(
        "what is not a pattern is literal",
        arguments: [
            "h/a", "http://[::1]/a", "http://[fe80::1]:80/", "http://[fe80::1%25eth0]/", "[2001:db8::1]:80/{x}",
            "h/{a}",
            "h/[]", "h/a[]=1", "h/\\x", "h/?q={\"a\":1}",
        ])
    func literal(text: String) throws {
        #expect(try URLPattern.expand(text) == [text])
    }

    @Test(
        "a brace or bracket that belongs to no pattern is an error with its position",
        arguments: [
            ("h/un{closed", "unmatched brace", 5), ("h/{a,b", "unmatched brace", 3),
            ("h/un[closed", "unmatched bracket", 5),
            ("h/[1-2", "unmatched bracket", 3), ("h/a}", "unmatched close brace", 4),
            ("h/]", "unmatched close bracket", 3),
            ("h/e{}", "empty string within braces", 4), ("h/{a{b,c}", "nested brace", 5),
            ("h/{[1-2],x}", "nested brace", 4), ("h/{a,b]}", "unexpected close bracket", 7), ("h/[1]", "bad range", 3),
            ("h/[1-]", "bad range", 3), ("h/[-1]", "bad range", 3), ("h/[a-C]", "bad range", 3),
            ("h/[a-5]", "bad range", 3),
            ("h/[aa-bb]", "bad range", 3), ("h/[1-2:x]", "bad range", 3), ("h/[1-2:]", "bad range", 3),
            ("h/[1-2-3]", "bad range", 3), ("h/[ä-ö]", "bad range", 3), ("h/[5-1]", "bad range (it runs", 3),
            ("h/ä\\{x{y", "unmatched brace", 7), ("http://[2001:db8::1-2]/", "bad range", 8),
            ("{a\\}", "unmatched brace", 1),
        ])
    func faults(text: String, what: String, position: Int) throws {
        let fault = #expect(throws: URLPattern.Fault.self) { try URLPattern.expand(text) }
        let message = try #require(fault?.message)
        #expect(message.hasPrefix(what) && message.contains(" in URL position \(position); "), "\(message)")
        #expect(message.hasSuffix("--globoff"))
        #expect(fault?.excerpt == [text, String(repeating: " ", count: position - 1) + "^"])
        #expect(try URLArgument.expanded([text], isLiteral: true) == [URLArgument.completed(text)])
    }

    @Test(
        "the excerpt shows no secrets and stands under the mark",
        arguments: [
            ("http://h/{a?key=secret", ["http://h/{a?key=REDACTED", "         ^"]),
            ("http://h/a?key=sec{ret", ["http://h/a?key=REDACTED{…", "                       ^"]),
            ("http://me:pw@h/a{", ["http://REDACTED@h/a{", "                   ^"]), ("http://me:p{w@h/a", []),
            ("http://h/日本{", ["http://h/日本{", "             ^"]),
        ] as [(String, [String])])
    func excerpt(text: String, lines: [String]) {
        #expect(#expect(throws: URLPattern.Fault.self) { try URLPattern.expand(text) }?.excerpt == lines)
    }

    @Test(
        "ranges that can't be used, and too many URLs, are refused",
        arguments: [
            ("h/[9-1]", "backwards"), ("h/[z-a]", "backwards"), ("h/[1-9:0]", "step"),
            ("h/[1-100001]", "100000"), ("h/[1-1000]/[1-1000]", "100000 URLs"),
            ("h/[0-99999999999999999999]", "backwards"),
            ("h/[1-2:99999999999999999999]", "step"), ("h/[0-9223372036854775807]", "more than"),
            (String(repeating: "{a,b}", count: 64), "100000 URLs"),
        ])
    func refused(text: String, word: String) {
        let fault = #expect(throws: URLPattern.Fault.self) { try URLPattern.expand(text) }
        #expect(fault?.message.contains(word) == true, "\(fault?.message ?? "")")
    }

    @Test("every range of small numbers has each of its values once, as wide as written") func allSmallRanges() throws {
        for first in 0...12 {
            for last in first...12 {
                for step in 1...4 {
                    let plain = try URLPattern.expand("[\(first)-\(last):\(step)]")
                    #expect(plain == stride(from: first, through: last, by: step).map { "\($0)" })
                    let wide = try URLPattern.expand("[0\(first)-\(last):\(step)]")
                    #expect(wide.compactMap { Int($0) } == plain.compactMap { Int($0) })
                    #expect(wide.allSatisfy { $0.utf8.count >= "0\(first)".utf8.count })
                }
            }
        }
        #expect(try URLPattern.expand("[1-100000]").count == URLPattern.limit)
    }

    @Test("a list of arguments keeps its order; literal ones only get their scheme") func several() throws {
        let texts = ["http://h/{a,b}", "x.org/[1-2]"]
        #expect(
            try URLArgument.expanded(texts, isLiteral: false)
                == ["http://h/a", "http://h/b", "http://x.org/1", "http://x.org/2"])
        #expect(try URLArgument.expanded(texts, isLiteral: true) == ["http://h/{a,b}", "http://x.org/[1-2]"])
    }
}
