import HTTPTypes
import HaulTransport
import NIOCore
import Testing

@testable import HaulTransportHTTP

@Suite("Requests as they go over connections of Haul's own")
struct DirectRequestTests {
    private static func text(_ url: String, _ headers: HTTPFields) throws -> String {
        let target = try RequestTarget(url)
        let origin = try #require(DirectOrigin(target))
        return String(
            buffer: DirectRequest(TransferRequest(url: url, headers: headers), to: target, at: origin).bytes)
    }

    @Test func everyHeaderButThoseOfTheTransport() throws {
        var headers: HTTPFields = [.userAgent: "haul", .range: "bytes=0-"]
        headers.append(HTTPField(name: try #require(HTTPField.Name("Host")), value: "elsewhere"))
        headers.append(HTTPField(name: .proxyAuthorization, value: "secret"))
        headers.append(HTTPField(name: try #require(HTTPField.Name("X-Two")), value: "1"))
        headers.append(HTTPField(name: try #require(HTTPField.Name("X-Two")), value: "ä"))
        #expect(
            try Self.text("http://h:81/a%20b?c=d#e", headers) == """
                GET /a%20b?c=d HTTP/1.1\r
                Host: h:81\r
                User-Agent: haul\r
                Range: bytes=0-\r
                X-Two: 1\r
                X-Two: ä\r
                \r

                """)
    }

    @Test(
        "no value ends its line",
        arguments: [
            "a\r\nX-Evil: 1", "a\nX-Evil: 1", "a\rX-Evil: 1", "a\0b", "\r\n\r\nGET / HTTP/1.1", "\u{85}\u{2028}x\r\n",
        ])
    func noInjection(value: String) throws {
        let sent = try Self.text("http://h/", [.userAgent: value])
        #expect(sent.utf8.filter { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == 0 }.count == 8)
    }
}
