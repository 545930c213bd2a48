import Testing

@testable import HaulTransportHTTP

@Suite("Where a connection of Haul's own leads to")
struct DirectOriginTests {
    @Test(
        "host, port and the Host header",
        arguments: [
            ("http://example.com/a?b", false, "example.com", 80, "example.com"),
            ("https://Example.COM", true, "Example.COM", 443, "Example.COM"),
            ("http://h:8080/", false, "h", 8080, "h:8080"), ("http://h:80/", false, "h", 80, "h"),
            ("https://h:80/", true, "h", 80, "h:80"), ("https://h:443/", true, "h", 443, "h"),
            ("http://h:/", false, "h", 80, "h"), ("http://127.0.0.1:81", false, "127.0.0.1", 81, "127.0.0.1:81"),
            ("http://[::1]:81/", false, "::1", 81, "[::1]:81"), ("http://[::1]/", false, "::1", 80, "[::1]"),
        ])
    func plain(url: String, isSecure: Bool, host: String, port: Int, authority: String) throws {
        let origin = try #require(DirectOrigin(try RequestTarget(url)))
        #expect(origin.isSecure == isSecure)
        #expect(origin.host == host)
        #expect(origin.port == port)
        #expect(origin.authority == authority)
    }

    @Test(
        "what is not quite plain is left to AsyncHTTPClient",
        arguments: [
            "http://h:0/", "http://h:65536/", "http://h:x/", "http://:80/", "http://[::1/", "http://[fe80::1%25eth0]/",
            "http://a%20b/",
            "http://\u{E4}.example/", "http://a:b:c/", "http://[x]/", "http://a_b;c/",
        ])
    func notPlain(url: String) throws {
        #expect(DirectOrigin(try RequestTarget(url)) == nil)
    }
}
