import HaulTestData
import HaulTransport
import Testing

@testable import HaulTransportHTTP

@Suite struct RequestTargetTests {
    @Test(arguments: [
        ("http://h", "http://h/", "/"), ("http://h/", "http://h/", "/"),
        ("HTTPS://h:1/a%zz?b=%E4", "HTTPS://h:1/", "/a%zz?b=%E4"),
        ("http://h?q", "http://h/", "/?q"), ("http://h#f", "http://h/", "/"),
        ("http://[::1]:80/p#f", "http://[::1]:80/", "/p"),
        ("http://h//a/../b", "http://h/", "//a/../b"), ("http://h/\u{E4}?\u{20AC}", "http://h/", "/%C3%A4?%E2%82%AC"),
        ("http://h/@", "http://h/", "/@"),
    ])
    func takesApart(url: String, origin: String, target: String) throws {
        let result = try RequestTarget(url)
        #expect(result.origin == origin)
        #expect(result.target == target)
    }

    @Test(arguments: [
        "", "h", "http:/h/", "http:///", "http://", "ftp://h/", "http://u@h/", "http://u:p@h", "http://h/a b",
        "http://h/\r\nX: y",
        "http://h/\u{0}", "http://h/\u{7F}", "unix:///socket", "http+unix://socket/",
    ])
    func refuses(url: String) {
        let error = #expect(throws: TransportError.self) { try RequestTarget(url) }
        #expect(error?.kind == .badRequest)
    }

    @Test(arguments: [nil, 0, 7, UInt64.max], ["/", "/a?b", "http://h/absolute", "/%20"])
    func travelsWithTheNumberOfALimit(limit: UInt64?, target: String) {
        let parts = RequestTarget.parts(ofCarried: RequestTarget.carried(target, limit))
        #expect(parts.target == target)
        #expect(parts.limit == limit)
    }

    /// No bytes trap, and none that end a request line get through.
    @Test func survivesAnyBytes() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let url = ["http://", "https://h/", ""].randomElement(using: &random) ?? ""
            guard let result = try? RequestTarget(url + String(decoding: bytes, as: UTF8.self)) else { continue }
            #expect(result.target.utf8.first == UInt8(ascii: "/"))
            #expect(result.target.utf8.allSatisfy { 0x21...0x7E ~= $0 })
        }
    }
}
