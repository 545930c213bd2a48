import Testing

@testable import HaulCore

@Suite struct CookieJarTests {
    private static let now: Int64 = 1_700_000_000

    private func header(_ jar: CookieJar, _ url: String) throws -> String? {
        jar.header(for: try SourceURL(parsing: url), now: Self.now)
    }

    private func jar(_ cookies: (String, String)...) throws -> CookieJar {
        var jar = CookieJar()
        for (text, url) in cookies { _ = jar.receive([text], from: try SourceURL(parsing: url), now: Self.now) }
        return jar
    }

    @Test(
        arguments: [
            ("h.org", "h.org", true), ("a.h.org", "h.org", true), ("ah.org", "h.org", false), ("org", "h.org", false),
            ("127.0.0.1", "0.0.1", false), ("127.0.0.1", "127.0.0.1", true), ("h.org", "", false),
            ("[::1]", "[::1]", true),
        ])
    func domainMatch(host: String, domain: String, matches: Bool) {
        #expect(CookieScope.domain(host, matches: domain) == matches)
    }

    @Test(
        arguments: [
            ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/b", "/a", true), ("/a/b", "/a/", true),
            ("/ab", "/a", false),
            ("/a", "/a/", false), ("/", "/a", false), ("/a?b", "/a", false),
        ])
    func pathMatch(path: String, cookiePath: String, matches: Bool) {
        #expect(CookieScope.path(path, matches: cookiePath) == matches)
    }

    @Test func sendsWhatFitsTheHostThePathAndTheScheme() throws {
        let jar = try jar(
            ("host=1", "https://www.h.org/"), ("all=2; Domain=h.org", "https://www.h.org/"),
            ("path=3; Path=/p", "https://www.h.org/"),
            ("safe=4; Secure", "https://www.h.org/"), ("other=5", "https://x.org/"),
            ("old=6; Max-Age=0", "https://www.h.org/"))
        #expect(try header(jar, "https://www.h.org/") == "host=1; all=2; safe=4")
        #expect(try header(jar, "http://www.h.org/") == "host=1; all=2")
        #expect(try header(jar, "https://www.h.org:8443/p/q") == "path=3; host=1; all=2; safe=4")
        #expect(try header(jar, "https://h.org/") == "all=2")
        #expect(try header(jar, "https://a.www.h.org/") == "all=2")
        #expect(try header(jar, "https://elsewhere.org/") == nil)
    }

    @Test func aCookieTakesThePlaceOfTheOneBeforeIt() throws {
        let url = try SourceURL(parsing: "https://h/")
        var jar = CookieJar([
            Cookie(name: "n", value: "file", domain: "h", isHostOnly: true, path: "/", isSecure: false)
        ])
        #expect(try header(jar, "https://h/") == "n=file")
        func receive(_ values: String...) -> Bool { jar.receive(values, from: url, now: Self.now) }
        #expect(receive("n=1; Path=/"))
        #expect(!receive("n=1; Path=/"))
        #expect(try header(jar, "https://h/") == "n=1")
        #expect(receive("n=; Path=/; Max-Age=0"))
        #expect(try header(jar, "https://h/") == nil)
        #expect(!receive("n=; Path=/; Max-Age=0", "bad"))
    }

    @Test func whoSpeaksWithoutTLSCantReplaceASecureOne() throws {
        var jar = try jar(("n=safe; Secure; Path=/", "https://h/"))
        let isTaken = jar.receive(["n=evil; Path=/"], from: try SourceURL(parsing: "http://h/"), now: Self.now)
        #expect(!isTaken)
        #expect(try header(jar, "https://h/") == "n=safe")
        #expect(try header(jar, "http://h/") == nil)
    }

    @Test func whatEndsIsSentUntilThen() throws {
        let jar = try jar(("n=v; Max-Age=10", "http://h/"))
        let url = try SourceURL(parsing: "http://h/")
        #expect(jar.header(for: url, now: Self.now + 9) == "n=v")
        #expect(jar.header(for: url, now: Self.now + 10) == nil)
    }

    @Test func aFloodOfCookiesIsBounded() throws {
        var jar = CookieJar()
        let url = try SourceURL(parsing: "http://h/")
        for number in 0..<200 { _ = jar.receive(["n\(number)=v"], from: url, now: Self.now) }
        let sent = try #require(try header(jar, "http://h/"))
        #expect(sent.hasPrefix("n150=v; n151=v") && sent.hasSuffix("n199=v"))
        for number in 0..<(2 * CookieJar.limit) {
            _ = jar.receive(["n=v"], from: try SourceURL(parsing: "http://h\(number)/"), now: Self.now)
        }
        #expect(try header(jar, "http://h/") == nil)
        #expect(try header(jar, "http://h\(CookieJar.limit)/") == "n=v")
        #expect(try header(jar, "http://h\(CookieJar.limit - 1)/") == nil)
    }

    @Test func neverShowsAValue() throws {
        let jar = try jar(("n=hunter2", "http://h/"))
        var text = "\(jar)"
        dump(jar, to: &text)
        #expect(!text.contains("hunter2"))
    }
}
