import HaulTestData
import HaulTesting
import HaulTransport
import Testing

@testable import HaulTransportCurl

@Suite struct CurlTargetTests {
    @Test(arguments: [
        ("http://h", "http://h/", "/"), ("HTTPS://h:1/a%zz?b=%E4", "https://h:1/a%zz?b=%E4", "/a%zz?b=%E4"),
        ("http://h?q", "http://h/?q", "/?q"), ("http://h/x?#f", "http://h/x?", "/x?"),
        ("http://[::1]:80/p#f", "http://[::1]:80/p", "/p"), ("http://h//a/../b", "http://h//a/../b", "//a/../b"),
        ("http://h/\u{E4}?\u{20AC}", "http://h/%C3%A4?%E2%82%AC", "/%C3%A4?%E2%82%AC"),
        ("http://h/@;", "http://h/@;", "/@;"),
    ])
    func web(url: String, forCurl: String, target: String) throws {
        let result = try CurlTarget(url)
        #expect(result.url == forCurl)
        #expect(result.requestTarget == target)
    }

    @Test(
        arguments: [
            ("ftp://h/a", "ftp://h/a", .ftp), ("FTP://h:2121/a/b", "ftp://h:2121/a/b", .ftp),
            ("ftpes://h/a", "ftp://h/a", .ftpes), ("ftps://h/a", "ftps://h/a", .ftps),
            ("sftp://h/a", "sftp://h/a", .sftp),
            // What would be a query or a type is part of a name.
            ("ftp://h/a?b#c", "ftp://h/a%3Fb", .ftp), ("sftp://h/a;b", "sftp://h/a%3Bb", .sftp),
            ("ftp://h/a;type=i", "ftp://h/a", .ftp), ("ftp://h/%2Fetc/motd", "ftp://h/%2Fetc/motd", .ftp),
            ("ftp://h/a;type=a/b", "ftp://h/a%3Btype=a/b", .ftp), ("ftp://h/\u{E4}", "ftp://h/%C3%A4", .ftp),
        ] as [(String, String, CurlTarget.Kind)])
    func files(url: String, forCurl: String, kind: CurlTarget.Kind) throws {
        let result = try CurlTarget(url)
        #expect(result.url == forCurl)
        #expect(result.kind == kind)
        #expect(result.requestTarget == "")
    }

    @Test(arguments: [
        "", "h", "http:/h/", "http:///", "http://", "http://u@h/", "ftp://u:p@h/a", "http://h/a b", "http://h/\r\nX: y",
        "ftp://h/a\r\nDELE b", "sftp://h/\u{0}", "unix:///socket", "file:///etc/passwd", "scp://h/a", "ftp+x://h/a",
        "ftp://h", "ftp://h/", "ftp://h/a/", "sftp://h/~/", "ftp://h?a", "ftp://h/a;type=d", "ftp://h/a;type=A",
        "ftp://h/;type=i",
    ])
    func refuses(url: String) {
        let error = #expect(throws: TransportError.self) { try CurlTarget(url) }
        #expect(error?.kind == .badRequest)
    }

    /// No bytes trap, and none get through that end a line of any protocol.
    @Test func survivesAnyBytes() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let start = ["http://", "https://h/", "ftp://h/", "sftp://h/", ""].randomElement(using: &random) ?? ""
            guard let result = try? CurlTarget(start + String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect((result.url + result.requestTarget).utf8.allSatisfy { 0x21...0x7E ~= $0 })
            #expect(!result.url.utf8.contains(UInt8(ascii: "#")))
            if !result.kind.isWeb { #expect(!result.url.utf8.contains { "?;".utf8.contains($0) }) }
        }
    }
}
