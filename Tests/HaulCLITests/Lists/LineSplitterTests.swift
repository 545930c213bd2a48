import Testing

@testable import HaulCLI

@Suite struct LineSplitterTests {
    private func lines(of chunks: [[UInt8]]) -> [LineSplitter.Line] {
        var splitter = LineSplitter()
        var lines: [LineSplitter.Line] = []
        for chunk in chunks + [[]] {
            splitter.append(chunk)
            while let line = splitter.next() { lines.append(line) }
        }
        return lines
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\n\nb", ["a", "", "b"]), ("a\r\nb\n", ["a\r", "b"]),
    ])
    func textIsCutAtLineEnds(text: String, expected: [String]) {
        #expect(lines(of: [Array(text.utf8)]) == expected.map { .text($0) })
    }

    @Test func everyWayToCutTheStreamGivesTheSameLines() {
        let bytes = Array("ab\n\nç\nd".utf8)
        let whole = lines(of: [bytes])
        for cuts in 0..<(1 << (bytes.count - 1)) {
            var chunks: [[UInt8]] = [[]]
            for (index, byte) in bytes.enumerated() {
                chunks[chunks.count - 1].append(byte)
                if cuts >> index & 1 == 1 { chunks.append([]) }
            }
            #expect(lines(of: chunks.filter { !$0.isEmpty }) == whole)
        }
    }

    @Test(arguments: [1, 1000, 60_000, 200_000]) func aLineTooLongIsSkippedAndTheNextIsRead(chunk: Int) {
        let maximum = LineSplitter.maxLine
        for (length, isLine) in [(maximum, true), (maximum + 1, false), (3 * maximum, false)] {
            var bytes = [UInt8](repeating: UInt8(ascii: "x"), count: length) + Array("\nnext\n".utf8)
            var chunks: [[UInt8]] = []
            while !bytes.isEmpty {
                chunks.append(Array(bytes.prefix(chunk)))
                bytes.removeFirst(min(chunk, bytes.count))
            }
            let first = isLine ? LineSplitter.Line.text(String(repeating: "x", count: length)) : .tooLong
            #expect(lines(of: chunks) == [first, .text("next")])
        }
    }

    @Test("a line that is not UTF-8 is reported as such, unless it is a comment")
    func notText() {
        #expect(
            lines(of: [Array("a\n".utf8) + [0x20, 0xE9, 0x0A, 0xE9, 0x0A, 0x23, 0xE9, 0x0A] + Array("b".utf8)]) == [
                .text("a"), .notText(isIndented: true), .notText(isIndented: false), .text("#\u{FFFD}"), .text("b"),
            ])
    }

    @Test func aLineTooLongAtTheEndIsReported() {
        let bytes = [UInt8](repeating: 0, count: LineSplitter.maxLine + 1)
        #expect(lines(of: [bytes]) == [.tooLong])
        #expect(lines(of: [bytes, bytes]) == [.tooLong])
    }
}
