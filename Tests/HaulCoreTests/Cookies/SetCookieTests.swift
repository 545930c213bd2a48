import Testing

@testable import HaulCore

@Suite struct SetCookieTests {
    private static let now: Int64 = 1_700_000_000

    private func cookie(_ text: String, _ url: String = "https://www.example.org/a/b?c") throws -> Cookie? {
        Cookie(setCookie: text, from: try SourceURL(parsing: url), now: Self.now)
    }

    @Test func defaultsAreTheHostAndTheFolder() throws {
        let standard = Cookie(
            name: "n", value: "v", domain: "www.example.org", isHostOnly: true, path: "/a", isSecure: false)
        for text in [
            "n=v", " n = v ", "n=v; HttpOnly", "n=v;;x;=y", "n=v; Path=", "n=v; path=relative", "n=v; Domain=",
        ] {
            #expect(try cookie(text) == standard, "\(text)")
        }
        #expect(try cookie("n=v", "http://h/x")?.path == "/")
        #expect(try cookie("n=v", "http://h/x/")?.path == "/x")
        #expect(try cookie("n=a=b \"c\"")?.value == "a=b \"c\"")
        #expect(try cookie("=v")?.name == "")
    }

    @Test(
        arguments: [
            ("example.org", "example.org", false), (".Example.ORG", "example.org", false),
            ("www.example.org", "www.example.org", false),
        ])
    func domains(attribute: String, domain: String, isHostOnly: Bool) throws {
        let found = try #require(try cookie("n=v; domain=\(attribute)"))
        #expect(found.domain == domain && found.isHostOnly == isHostOnly)
    }

    @Test(
        arguments: [
            ("n=v; Domain=org", "https://www.example.org/"), ("n=v; Domain=other.org", "https://www.example.org/"),
            ("n=v; Domain=a.www.example.org", "https://www.example.org/"),
            ("n=v; Domain=ample.org", "https://www.example.org/"),
            ("n=v; Domain=co.uk", "https://a.co.uk/"), ("n=v; Domain=com.au", "https://a.com.au/"),
            ("n=v; Domain=0.0.1", "https://127.0.0.1/"),
            ("n=v; Secure", "http://h/"), ("__Secure-n=v", "https://h/"), ("__Host-n=v; Secure", "https://h/"),
            ("__Host-n=v; Secure; Path=/; Domain=h", "https://h/"), ("n", "https://h/"), ("", "https://h/"),
            ("=", "https://h/"),
            ("; n=v", "https://h/"), ("n=a\u{1}b", "https://h/"), ("n=a\rb", "https://h/"),
            ("n=" + String(repeating: "x", count: 4096), "https://h/"),
        ])
    func refuses(text: String, url: String) throws {
        #expect(try cookie(text, url) == nil)
    }

    @Test func prefixesThatKeepTheirPromise() throws {
        #expect(try cookie("__Secure-n=v; Secure") != nil)
        #expect(try cookie("__Host-n=v; Secure; Path=/") != nil)
    }

    @Test(arguments: [
        ("https://co.uk/", "co.uk"), ("https://localhost/", "localhost"), ("https://127.0.0.1/", "127.0.0.1"),
    ])
    func aSharedHostKeepsItsCookieForItself(url: String, host: String) throws {
        #expect(try cookie("n=v; Domain=\(host)", url)?.isHostOnly == true)
    }

    @Test(
        arguments: [
            ("Max-Age=10", 1_700_000_010), ("max-age=0", .min), ("Max-Age=-5", .min),
            ("Max-Age=99999999999999999999", .max),
            ("Max-Age=x", nil), ("Max-Age=", nil), ("Max-Age=1; Max-Age=2", 1_700_000_002),
            ("Expires=Wed, 09 Jun 2021 10:18:14 GMT", 1_623_233_894),
            ("expires=Wed, 09-Jun-21 10:18:14 GMT", 1_623_233_894),
            ("Expires=Wed Jun  9 10:18:14 2021", 1_623_233_894), ("Expires=never", nil),
            ("Max-Age=10; Expires=Wed, 09 Jun 2021 10:18:14 GMT", 1_700_000_010),
        ] as [(String, Int64?)])
    func ends(attributes: String, expires: Int64?) throws {
        #expect(try cookie("n=v; \(attributes)")?.expires == expires)
    }

    @Test(
        arguments: [
            ("1 jan 1970 00:00:00", 0), ("Jan 1 70 0:0:0", 0), ("1-January-99 23:59:59 x", 915_235_199),
            ("1 Feb 69 00:00:00", 3_126_902_400),
            ("00:00:00 31 Feb 2020", nil), ("1 Jan 2020", nil), ("24:00:00 1 Jan 2020", nil),
            ("00:60:00 1 Jan 2020", nil),
            ("00:00:60 1 Jan 2020", nil), ("00:00:00 1 Foo 2020", nil), ("00:00:00 1 Jan 1600", nil),
            ("00:00:00 0 Jan 2000", nil), ("", nil),
            ("00:00 1 Jan 2020", nil),
        ] as [(String, Int64?)])
    func dates(text: String, seconds: Int64?) {
        #expect(CookieDate.parse(text) == seconds)
    }

    @Test func survivesAnyText() throws {
        var fuzz = FuzzText(seed: 5)
        let url = try SourceURL(parsing: "https://a.example.org/x/y")
        let pieces = [
            "n", "=", "v", "; ", "Domain=", ".", "example.org", "Path=/", "Secure", "Max-Age=", "9", "-", "Expires=",
            "Jan", ":", "é",
        ]
        for _ in 0..<10_000 {
            for text in [
                fuzz.noise(), fuzz.mixture(of: pieces),
                fuzz.mutation(of: "n=v; Domain=example.org; Expires=Wed, 09 Jun 2021 10:18:14 GMT"),
            ] {
                guard let cookie = Cookie(setCookie: text, from: url, now: .max - 3) else { continue }
                #expect(url.host == cookie.domain || url.host.hasSuffix("." + cookie.domain))
                #expect(!"\(cookie.name)\(cookie.value)".utf8.contains { $0 < 0x20 || $0 == 0x7F })
            }
        }
    }
}
