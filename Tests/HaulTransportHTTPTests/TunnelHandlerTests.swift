import HaulTestData
import HaulTesting
import HaulTransport
import Testing

@testable import HaulTransportHTTP

@Suite struct TunnelHandlerTests {
    @Test(
        arguments: [
            ("HTTP/1.1 200 Connection established\r\n\r\n", nil), ("HTTP/1.0 299 x\n\n", nil),
            ("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", .proxyNotAuthorized),
            ("HTTP/1.1 403 Forbidden\r\n\r\n", .proxyRefused),
            ("HTTP/1.1 502 \u{1B}[31m\r\n\r\n", .proxyRefused), ("HTTP/1.1 100 Continue\r\n\r\n", .proxyRefused),
            ("HTTP/2 200 OK\r\n\r\n", .badResponse), ("200 OK\r\n\r\n", .badResponse),
            ("HTTP/1.1 x\r\n\r\n", .badResponse),
            ("HTTP/1.1\r\n\r\n", .badResponse), ("\r\n\r\n", .badResponse), ("", .badResponse),
        ] as [(String, TransportError.Kind?)])
    func answers(head: String, kind: TransportError.Kind?) {
        let failure = TunnelHandler.failure(head, hasMore: false, hasLogin: false)
        #expect(failure?.kind == kind)
        #expect(failure?.detail.utf8.allSatisfy { (0x20...0x7E).contains($0) } ?? true)
    }

    @Test func whatComesBehindASuccessIsNobodys() {
        #expect(TunnelHandler.failure("HTTP/1.1 200 OK\r\n\r\n", hasMore: true, hasLogin: false)?.kind == .badResponse)
    }

    @Test(arguments: [
        ("https://h/", "h:443"), ("http://h/", "h:80"), ("https://h:1/", "h:1"), ("https://[::1]/", "[::1]:443"),
        ("https://[::1]:8/", "[::1]:8"),
    ])
    func hostAndPort(url: String, expected: String) throws {
        #expect(try RequestTarget(url).hostAndPort == expected)
    }

    @Test func survivesAnyBytes() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<10_000 {
            let bytes = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = TunnelHandler.failure(
                "HTTP/1." + String(decoding: bytes, as: UTF8.self), hasMore: false, hasLogin: false)
        }
    }
}
