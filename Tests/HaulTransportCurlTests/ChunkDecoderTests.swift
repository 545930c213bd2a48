import Testing

@testable import HaulTransportCurl

@Suite struct ChunkDecoderTests {
    /// Decodes a text in pieces of some size.
    private func decode(_ text: String, in size: Int) -> (body: String, decoder: ChunkDecoder) {
        var decoder = ChunkDecoder()
        var body: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            body += decoder.decode(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        return (String(decoding: body, as: UTF8.self), decoder)
    }

    @Test(
        arguments: [
            "5\r\nhello\r\n0\r\n\r\n", "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n", "005\r\nhello\r\n000\r\n\r\n",
            "5 \r\nhello\r\n0  \r\n\r\n", "5\t \r\nhello\r\n0\r\n\r\n", "5\nhello\n0\n\n", "5 \nhello\r\n0\n\r\n",
            "5;a=b\r\nhello\r\n0;c\r\n\r\n", "5 ; a=\"b c\"\r\nhello\r\n0\r\n\r\n",
            "5\r\nhello\r\n0\r\nX: y\r\nZ: z\r\n\r\n", "5\r\nhello\r\n0\r\n\r\nmore",
            "5\r\nhello\r\n0\r\n\r\n5\r\nagain\r\n",
        ], [1, 2, 3, 100])
    func whole(text: String, size: Int) {
        let (body, decoder) = decode(text, in: size)
        #expect(body == "hello" && decoder.isAtEnd && !decoder.isBroken)
    }

    @Test(
        "what is not the grammar breaks the body, and is never its end",
        arguments: [
            "0x5\r\nhello\r\n0\r\n\r\n", "5zz\r\nhello\r\n0\r\n\r\n", "5 5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello",
            "\r\n5\r\nhello",
            " 5\r\nhello", ";\r\n", "xyz\r\n", "5\r\nhelloX\r\n0\r\n\r\n", "5\r\nhello\rX", "5\rX",
            "1000000000000000\r\n",
        ], [1, 4, 100])
    func broken(text: String, size: Int) {
        let (body, decoder) = decode(text, in: size)
        #expect(decoder.isBroken && !decoder.isAtEnd)
        #expect("hello".hasPrefix(body))
    }

    @Test("every beginning of a body is not the end of it")
    func cut() {
        let text = "2;x\r\nhe\r\n3 \nllo\r\n0\r\nX: y\r\n\r\n"
        for count in 0..<text.utf8.count {
            let (body, decoder) = decode(String(decoding: text.utf8.prefix(count), as: UTF8.self), in: 7)
            #expect(!decoder.isAtEnd && !decoder.isBroken && "hello".hasPrefix(body))
        }
    }
}
