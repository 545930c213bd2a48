import HaulTestData
import Testing

@testable import HaulTesting

struct ReceivedHeadTests {
    @Test func readsAHead() throws {
        let text = "GET /a%20b?q=1 HTTP/1.1\r\nHost: x\r\nRANGE:\t bytes=0- \r\nEmpty:\r\n\r\n"
        let head = try #require(ReceivedHead(text.utf8))
        #expect(head.method == "GET" && head.target == "/a%20b?q=1" && head.version == "HTTP/1.1")
        #expect(head.headers["range"] == "bytes=0-" && head.headers["empty"] == "" && head.headers["none"] == nil)
    }

    @Test(arguments: ["", "GET", "GET /", "GET / HTTP/2.0", "GET  / HTTP/1.1", " / HTTP/1.1", "GET / HTTP/1.1\r\nbad"])
    func refusesWhatIsNone(_ text: String) {
        #expect(ReceivedHead(text.utf8) == nil)
    }

    @Test(
        arguments: [
            ("", nil), ("a", nil), ("a\r\n", nil), ("a\r\n\r\n", 5), ("a\n\n", 3), ("a\r\nb\r\n\r\nrest", 8),
            ("a\r\n\rb\r\n", nil),
        ] as [(String, Int?)])
    func findsTheEndOfAHead(_ text: String, _ end: Int?) {
        #expect(ReceivedHead.end(in: Array(text.utf8)) == end)
    }

    @Test func survivesAnyBytes() {
        var random = SeededGenerator(seed: 5)
        let alphabet: [UInt8] = Array("GET / HTTP/1.1\r\n:".utf8) + [0, 0xFF, 0xC3, 0x80]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                alphabet.randomElement(using: &random) ?? 0
            }
            if let end = ReceivedHead.end(in: bytes) { #expect(end <= bytes.count && bytes[end - 1] == 10) }
            _ = ReceivedHead(bytes)
            _ = ReceivedHead("GET / HTTP/1.1\r\n".utf8 + bytes)?.bodyLength
        }
    }
}
