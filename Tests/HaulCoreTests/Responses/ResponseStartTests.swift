import HaulCore
import Testing

@Suite("The first bytes of a response")
struct ResponseStartTests {
    @Test(
        "what may become HTTP is waited for",
        arguments: ["", "H", "HTTP", "HTTP/", "HTTP/1.1 200 OK\r\n", "\r\n\n\r", "\r\nHTT", "\n\nHTTP/1.0"])
    func possible(text: String) { #expect(ResponseStart(Array(text.utf8)) == .possible) }

    @Test(
        "another protocol is recognised by its first byte",
        arguments: [
            ("SSH-2.0-OpenSSH_9.2\r\n", "SSH-2.0-OpenSSH_9.2"), ("220 mail ESMTP\r\n220 more", "220 mail ESMTP"),
            ("<html>\n", "<html>"), ("h", "h"), ("HTTPS", "HTTPS"), ("HTT ", "HTT "), (" HTTP/1.1", " HTTP/1.1"),
            ("\r\nICY 200 OK", "ICY 200 OK"), ("http/1.1", "http/1.1"),
            // A server that repeats the request.
            ("GET /f?sig=secret HTTP/1.1\r\n", "GET /f?…"),
        ])
    func other(text: String, shown: String) { #expect(ResponseStart(Array(text.utf8)) == .other(shown)) }

    @Test(
        "what is not text is a broken response",
        arguments: [[0x00], [0xFF, 0x67], [0x61, 0x1B, 0x5B], [0xC3, 0xA4]] as [[UInt8]])
    func garbage(bytes: [UInt8]) { #expect(ResponseStart(bytes) == .garbage) }

    @Test("a long line is cut")
    func long() {
        guard case .other(let text) = ResponseStart(Array(repeating: UInt8(ascii: "x"), count: 100_000)) else {
            return #expect(Bool(false))
        }
        #expect(TerminalText.width(text) == 60)
    }

    @Test("an alert of TLS", arguments: [[0x15], [0x15, 3, 1, 0, 2, 2, 10], [0x16, 3, 3]] as [[UInt8]])
    func tls(bytes: [UInt8]) { #expect(ResponseStart(bytes) == .tls) }

    @Test("every prefix of every byte but one that begins HTTP/ is decided at once")
    func firstByte() {
        for byte in UInt8.min...UInt8.max {
            let isPossible = byte == UInt8(ascii: "H") || byte == 0x0A || byte == 0x0D
            #expect((ResponseStart([byte]) == .possible) == isPossible)
        }
    }
}
