import HaulTestData
import Testing

@testable import HaulTransportCurl

@Suite struct FTPRepliesTests {
    /// Returns what follows from these replies; lines that begin with ">" are commands.
    private func received(_ lines: [String]) -> FTPReplies {
        var replies = FTPReplies()
        for line in lines {
            let bytes = Array((line + "\r\n").utf8)
            line.hasPrefix(">") ? replies.sent(Array(bytes.dropFirst())) : replies.take(bytes)
        }
        return replies
    }

    @Test(
        arguments: [
            (["220 hello", ">MDTM f", "213 20260101000000", ">SIZE f", "213 12345", ">RETR f", "150 here"], 12345),
            // Only the reply to SIZE is the size.
            ([">MDTM f", "500 what?", ">SIZE f", "213 12345"], 12345),
            ([">MDTM f", "213 7", ">SIZE f", "500 what?"], nil),
            ([">MDTM f", "213 7"], nil), ([">SIZE f", "213 7", ">STAT", "213 8"], 7), (["213 7"], nil),
            ([">SIZES f", "213 7"], nil), ([">SIZE f", "200 7"], nil),
            ([">SIZE f", "213 0"], 0), ([">SIZE f", "213 f.bin 300000"], 300_000), ([">SIZE f", "213 5 7"], 7),
            // Nor does libcurl read these as the server means them.
            ([">SIZE f", "213 12345 bytes"], nil), ([">SIZE f", "213 2k"], nil), ([">SIZE f", "213 1.5"], nil),
            ([">SIZE f", "213 9e18"], nil), ([">SIZE f", "213 "], nil), ([">SIZE f", "213 -1"], nil),
            ([">SIZE f", "213 99999999999999999999"], nil), ([], nil), ([">SIZE f", "213-12345"], nil),
            ([">SIZE f", "213"], nil),
        ] as [([String], Int64?)])
    func size(lines: [String], size: Int64?) { #expect(received(lines).size == size) }

    @Test(
        arguments: [
            ("150 Opening BINARY mode data connection for f (12345 bytes).", 12345),
            ("125 for (1 bytes) (22 bytes)", 22), ("150 for (7 bytes).bin", 7), ("150 (x bytes)", nil),
            ("150 (99999999999999999999 bytes)", nil), ("150 12 bytes", nil), ("150 ( bytes)", nil), ("150", nil),
            ("226 (12 bytes)", nil), ("150 " + String(repeating: "a", count: 5000) + " (3 bytes)", 3),
        ] as [(String, Int64?)])
    func announced(line: String, size: Int64?) { #expect(received([line]).announced == size) }

    @Test func theLastReplyCounts() {
        let replies = received(["230-Welcome", " 530 not a reply", "230 in", "550 Failed to open file."])
        #expect(replies.code == 550)
        #expect(replies.text == "Failed to open file.")
        #expect(received(["230-Welcome", "  text", "xyz"]).code == 0)
    }

    @Test(arguments: [
        ("421 There are too many connections from your internet address.", true),
        ("530 Sorry, the maximum number of clients (5) for this user are already connected.", true),
        ("530 Too many users logged in", true), ("530 Login incorrect.", false), ("550 Too many links", false),
        ("220 ready", false),
    ])
    func busy(line: String, isBusy: Bool) { #expect(received([line]).isBusy == isBusy) }

    @Test func survivesAnyLines() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<5000 {
            var replies = FTPReplies()
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let start = Array(["213 ", "550", "", "421-"].randomElement(using: &random)?.utf8 ?? "".utf8)
                let rest = (0..<Int.random(in: 0..<300, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }
                Bool.random(using: &random) ? replies.sent(Array("SIZE ".utf8)) : replies.take(start + rest)
            }
            #expect((0...999).contains(replies.code))
            #expect(replies.size ?? 0 >= 0)
        }
    }
}
