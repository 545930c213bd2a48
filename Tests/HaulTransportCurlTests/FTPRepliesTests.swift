import HaulTestData
import Testing

@testable import HaulTransportCurl

@Suite struct FTPRepliesTests {
    private func received(_ lines: [String]) -> FTPReplies {
        var replies = FTPReplies()
        for line in lines { replies.take(Array((line + "\r\n").utf8)) }
        return replies
    }

    @Test(
        arguments: [
            (["220 hello", "213 20260101000000", "213 12345", "150 here"], true, 12345),
            // MDTM unknown, or answered with what libcurl did not take for a date.
            (["500 what?", "213 12345"], false, 12345), (["213 never", "213 12345"], false, 12345),
            // SIZE unknown: the date is no size.
            (["213 20260101000000", "500 what?"], true, nil), (["213 20260101000000"], true, nil),
            // Nor where libcurl could not read it: the second 61, or a day that the month does not have.
            (["213 20260101000061", "500 what?"], false, nil), (["213 20260231000000"], false, nil),
            (["213 20261301000000"], false, 20_261_301_000_000), (["213 20260101000061", "213 7"], false, 7),
            (["213 20260101000000.123", "213 0"], true, 0), (["213 12345 bytes"], false, 12345),
            (["213 f.bin 300000"], false, 300_000), (["213 5 7"], false, 7), (["213 1.5"], false, nil),
            (["213 9e18"], false, nil),
            (["213 "], false, nil), (["213 -1"], false, nil), (["213 99999999999999999999"], false, nil),
            ([], false, nil),
            (["213-12345"], false, nil), (["213"], false, nil),
        ] as [([String], Bool, Int64?)])
    func size(lines: [String], dateKnown: Bool, size: Int64?) {
        #expect(received(lines).size(dateKnown: dateKnown) == size)
    }

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
                replies.take(start + rest)
            }
            #expect((0...999).contains(replies.code))
            #expect(replies.size(dateKnown: false) ?? 0 >= 0)
        }
    }
}
