import HaulCore
import Testing

@Suite("TerminalText: control bytes never reach a terminal raw")
struct TerminalTextTests {
    @Test("every telling scalar")
    func everyScalar() {
        let refused: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x2029, 0x202A...0x202E, 0x2066...0x2069,
        ]
        for scalar in tellingScalars {
            let value = scalar.value
            let shown = Array(TerminalText.printable("a\(scalar)b").unicodeScalars)
            let expected: Unicode.Scalar = refused.contains { $0.contains(value) } ? "\u{FFFD}" : scalar
            if shown != ["a", expected, "b"] { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test("escape sequences lose their escape, and line breaks count as two")
    func sequences() {
        #expect(TerminalText.printable("\u{1B}[2J\u{9B}31m\r\n") == "\u{FFFD}[2J\u{FFFD}31m\u{FFFD}\u{FFFD}")
        #expect(TerminalText.printable("\u{1B}\u{301}") == "\u{FFFD}\u{301}")
    }

    @Test(
        "width",
        arguments: [
            ("", 0), ("abc", 3), ("ü", 1), ("u\u{308}", 1), ("文字", 4), ("ｱ", 1), ("ア", 2), ("한국", 4),
            ("\u{1112}\u{1161}\u{11AB}", 2),
            ("Ａ", 2), ("🎉", 2), ("🚀", 2), ("⌚", 2), ("☀", 1), ("🇩🇪", 2), ("a\u{200B}b", 2), ("\u{FFFD}", 1), ("…", 1),
            ("█", 1), ("é", 1),
        ])
    func width(text: String, expected: Int) {
        #expect(TerminalText.width(text) == expected)
    }

    @Test(
        "cut in the middle",
        arguments: [
            ("abcdef", 6, "abcdef"), ("abcdef", 7, "abcdef"), ("abcdef", 5, "ab…ef"), ("abcdef", 4, "ab…f"),
            ("abcdef", 3, "a…f"),
            ("abcdef", 2, "a…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("abcdef", -1, ""), ("", 0, ""),
            ("文字文字", 8, "文字文字"),
            ("文字文字", 7, "文…文字"), ("文字文字", 5, "文…字"), ("文字文字", 6, "文…字"), ("文字文字", 3, "…字"), ("a\nb", 3, "a\u{FFFD}b"),
            ("\u{1B}", 1, "\u{FFFD}"),
            ("e\u{301}e\u{301}e\u{301}e\u{301}", 3, "e\u{301}…e\u{301}"), ("long-name.tar.gz", 10, "long-…r.gz"),
        ])
    func fitted(text: String, width: Int, expected: String) {
        #expect(TerminalText.fitted(text, width: width) == expected)
    }

    @Test("never wider than asked, never wasting more than wide characters force", arguments: 0...40)
    func limits(width: Int) {
        var fuzz = FuzzText(seed: UInt64(width))
        for _ in 0..<200 {
            for text in [fuzz.noise(), fuzz.mixture(of: ["a", "文", "\u{301}", "🎉", "\u{1B}", "한", "\r\n"])] {
                let fitted = TerminalText.fitted(text, width: width)
                let full = TerminalText.width(TerminalText.printable(text))
                #expect(TerminalText.width(fitted) <= width)
                #expect(TerminalText.printable(fitted) == fitted)
                if full <= width { #expect(fitted == TerminalText.printable(text)) }
                if full > width, text.utf8.allSatisfy({ $0 < 0x80 }) { #expect(TerminalText.width(fitted) == width) }
            }
        }
    }
}
