import HaulCore
import Testing

@Suite("FileName: inside the folder")
struct FileNameTests {
    @Test(
        "names made safe",
        arguments: [
            ("a.txt", "a.txt"), ("ü 文 👩‍👩‍👧.txt", "ü 文 👩👩👧.txt"), ("a/b/c.txt", "c.txt"), ("a\\b\\c.txt", "c.txt"),
            ("C:\\dir\\c.txt", "c.txt"), ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("a/\u{301}b", "b"),
            ("a..b", "a..b"), ("", "download"), (".", "download"), ("..", "download"), ("...", "download"),
            ("a/", "download"),
            ("a/..", "download"), ("-", "download"), (" . - ", "download"), ("\0", "download"),
            ("\u{202E}", "download"),
            (".bashrc", "bashrc"), ("-rf", "rf"), (" .-x", "x"), ("--help", "help"), ("a. . ", "a"), ("a...", "a"),
            (".\u{200B}.", "download"), ("\u{FEFF}.a", "a"), ("a.\u{200E}", "a"), ("-\u{0}-a", "a"),
            ("a \u{3000}\u{A0}", "a"),
            ("a\0b\nc\r\nd\te\u{1B}[31m\u{7F}\u{85}\u{9B}", "abcde[31m"), ("exe.\u{202E}gpj", "exe.gpj"),
            ("<a>:\"b\"|?*.txt", "_a___b____.txt"), ("?", "_"), ("a\u{2028}b\u{2029}c", "abc"),
            ("e\u{301}", "e\u{301}"),
            ("a%2Fb", "a%2Fb"), ("~a", "~a"), ("a-", "a-"),
        ])
    func safe(raw: String, expected: String) {
        #expect(Array(FileName.safe(raw).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test("every telling scalar, alone and in the middle")
    func everyScalar() {
        let bidi: [ClosedRange<UInt32>] = [0x61C...0x61C, 0x200E...0x200F, 0x202A...0x202E, 0x2066...0x2069]
        let hidden: [ClosedRange<UInt32>] = [
            0...0x1F, 0x7F...0x9F, 0x200B...0x200D, 0x2028...0x2029, 0x2060...0x2060, 0xFEFF...0xFEFF,
        ]
        for scalar in tellingScalars {
            let value = scalar.value
            let alone = FileName.safe(String(scalar)).unicodeScalars
            let inside = FileName.safe("a\(scalar)b").unicodeScalars
            let isHidden = (bidi + hidden).contains { $0.contains(value) }
            let isKept = inside.contains(scalar)
            let isRight =
                !alone.isEmpty && !(isHidden && isKept) && !alone.contains { "/\\.-\0".unicodeScalars.contains($0) }
            if !isRight { Issue.record("U+\(String(value, radix: 16))") }
            if value >= 0x20, value < 0x7F, !"/\\<>:\"|?*".unicodeScalars.contains(scalar) { #expect(isKept) }
        }
    }

    @Test("a long name keeps its extension and whole characters", arguments: ["a", "ü", "文", "🎉", "e\u{301}", "🇩🇪"])
    func cut(character: String) {
        for (suffix, kept) in [
            (".txt", ".txt"), (".tar.gz", ".tar.gz"), (".TAR.zst", ".TAR.zst"), ("", ""), (". x", ""),
        ] {
            for count in [0, 1, 30, 58, 59, 60, 61, 119, 120, 121, 235, 236, 300, 5000] {
                let raw = "x" + String(repeating: character, count: count) + suffix
                for reserve in [-1, 0, 16, 100, 191, .max] {
                    let name = FileName.safe(raw, reserve: reserve)
                    let limit = 255 - min(191, max(0, reserve))
                    if raw.utf8.count <= limit { #expect(name == raw) }
                    let stem = name.dropLast(raw.utf8.count <= limit ? suffix.count : kept.count)
                    #expect(name.utf8.count <= limit && name.hasSuffix(kept))
                    if raw.utf8.count > limit {
                        #expect(name.utf8.count > limit - suffix.utf8.count - character.utf8.count - 2, "cut too short")
                        #expect(stem.dropFirst().allSatisfy { String($0) == character })
                    }
                }
            }
        }
    }

    @Test("one character longer than a name is cut between its scalars")
    func monster() {
        let name = FileName.safe("a" + String(repeating: "\u{301}", count: 500) + ".txt")
        #expect(name.utf8.count > 230 && name.utf8.count <= 239 && name.hasSuffix(".txt"))
    }

    @Test(
        "the next name",
        arguments: [
            ("a.tar.gz", 1, "a (1).tar.gz"), ("name", 1, "name (1)"), ("a.txt", 12, "a (12).txt"),
            ("a.b.c", 2, "a.b (2).c"),
            (".bashrc", 1, ".bashrc (1)"), (".tar.gz", 1, ".tar (1).gz"), ("a.", 1, "a. (1)"),
            ("Dr. No and all", 1, "Dr. No and all (1)"),
            ("a (1).txt", 1, "a (1) (1).txt"), ("a.x", .max, "a (9223372036854775807).x"), ("a.ü", 1, "a.ü (1)"),
        ])
    func numbered(name: String, number: Int, expected: String) {
        #expect(FileName.numbered(name, number) == expected)
    }

    @Test("next names stay within the limit, and apart")
    func numberedLength() {
        for count in 220...255 {
            let name = String(repeating: "a", count: count - 7) + ".tar.gz"
            let others = [1, 2, 10, 999, .max].map { FileName.numbered(name, $0) }
            #expect(others.allSatisfy { $0.utf8.count <= 239 && $0.hasSuffix(").tar.gz") })
            #expect(Set(others).count == others.count)
        }
    }

    @Test(
        "the suggestion: header, then URL, then download",
        arguments: [
            ("attachment; filename=a.txt", "http://h/b.txt", "a.txt"), (nil, "http://h/x/b%20c.txt?q", "b c.txt"),
            ("attachment", "http://h/b.txt", "b.txt"), ("attachment; filename=\"..\"", "http://h/b.txt", "b.txt"),
            ("attachment; filename*=UTF-8''..%2F..%2Fx", "http://h/b.txt", "x"), (nil, "http://h/", "index.html"),
            (nil, "http://h/a/?b", "index.html"),
            (nil, "http://h/%2E%2E", "download"), (nil, "http://h/%FF", "ÿ"), (nil, "http://h/a%2F..%2Fb", "b"),
            (nil, "http://h/a%5Cb", "b"), ("attachment; filename=\"%2e%2e%2fx\"", "http://h/b", "%2e%2e%2fx"),
        ] as [(String?, String, String)])
    func suggested(header: String?, url: String, expected: String) throws {
        #expect(try FileName.suggested(contentDisposition: header, url: SourceURL(parsing: url)) == expected)
    }

    @Test("whatever comes in, what comes out is safe and stays as it is", arguments: 1...20 as ClosedRange<UInt64>)
    func survivesAnything(seed: UInt64) {
        var fuzz = FuzzText(seed: seed)
        let pieces = [
            "/", "\\", ".", "..", "-", " ", "\0", "\u{202E}", "\u{200B}", "\u{301}", "a", ".tar", ".gz", "ü", ":",
            "\r\n",
            String(repeating: "文", count: 60),
        ]
        for _ in 0..<500 {
            for raw in [fuzz.noise(), fuzz.mixture(of: pieces)] {
                let reserve = Int.random(in: 0...191, using: &fuzz)
                let name = FileName.safe(raw, reserve: reserve)
                #expect(!name.isEmpty && name.utf8.count <= 255 - reserve)
                #expect(
                    !name.unicodeScalars.contains { "/\\\0".unicodeScalars.contains($0) || $0.properties.isBidiControl }
                )
                #expect(name.first != "." && name.first != "-" && name.last != "." && name.last != " ")
                #expect(FileName.safe(name, reserve: reserve) == name)
                #expect(FileName.numbered(name, 7).utf8.count <= 239)
            }
        }
    }
}
