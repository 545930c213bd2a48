import HaulCore
import Testing

@Suite("ContentDisposition: RFC 6266 and RFC 8187")
struct ContentDispositionTests {
    @Test(
        "the name as it is sent",
        arguments: [
            ("attachment; filename=\"a b.txt\"", "a b.txt"), ("attachment; filename=a.txt", "a.txt"),
            ("ATTACHMENT;FILENAME=a.txt", "a.txt"), ("inline; filename=\"a.txt\"", "a.txt"),
            ("attachment ; x=y; filename = \"a.txt\" ; z", "a.txt"),
            ("attachment; filename=\"a;b=c.txt\"; x", "a;b=c.txt"),
            ("attachment; x=\"filename=b.txt; y\"; filename=a.txt", "a.txt"),
            ("attachment; filename=\"a \\\"b\\\" \\\\c.txt\"", "a \"b\" \\c.txt"),
            ("attachment; filename=\"f\\oo.txt\"", "foo.txt"),
            ("attachment; filename=\"a.txt\"; filename=\"b.txt\"", "a.txt"),
            ("attachment; filename=\"\"; filename=b", nil),
            ("attachment; filename=\"a%20b.txt\"", "a%20b.txt"), ("attachment; filename=a%20b.txt", "a%20b.txt"),
            ("attachment; filename=\"=?UTF-8?Q?a?=\"", "=?UTF-8?Q?a?="),
            ("attachment; filename==?UTF-8?B?YQ==?=", "=?UTF-8?B?YQ==?="),
            ("attachment; filename=\"ü 文.txt\"", "ü 文.txt"), ("attachment; filename=e\u{301}.txt", "e\u{301}.txt"),
            ("attachment;\u{301}; filename=a", "a"), ("attachment; filename=a b c.txt ; x=y", "a b c.txt"),
            ("filename=a.txt", "a.txt"), ("filename=\"a.txt\"", "a.txt"), ("; filename=a.txt", "a.txt"),
            ("filename*=UTF-8''a", "a"),
            ("attachment; filename=\"a.txt", "a.txt"), ("attachment; filename=\"a.txt\\", "a.txt\\"),
            ("attachment; filename=\"a.txt\"junk; x", "a.txt"), ("attachment; filename='a.txt'", "'a.txt'"),
            ("attachment; filename=\"../../etc/passwd\"", "../../etc/passwd"), ("attachment; xfilename=a", nil),
            ("attachment; filename*0=\"a\"; filename*1=\"b\"", nil),
            ("", nil), ("attachment", nil), ("attachment; filename=", nil), ("attachment; filename", nil),
            ("filename", nil),
        ] as [(String, String?)])
    func plain(value: String, expected: String?) {
        #expect(ContentDisposition.fileName(value) == expected)
    }

    @Test(
        "filename* wins where it is right, whatever the order",
        arguments: [
            ("UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"), ("utf-8'en'a%20b.txt", "a b.txt"), ("UTF-8''a'b", "a'b"),
            ("ISO-8859-1'en'%A3%20rates", "£ rates"), ("iso-8859-1''%80%FF", "€ÿ"), ("utf8''%C3%A4", "ä"),
            ("UTF_8''%C3%A4", "ä"),
            ("latin1''%E4", "ä"), ("windows-1252''%80", "€"),
            ("\"UTF-8''a%20b.txt\"", "a b.txt"),
            ("UTF-8''ü%C3%BC", "üü"), ("UTF-8''%00%2F", "\0/"),
            // Malformed ones: bad bytes, bad escapes, missing quotes, other charsets, nothing in it.
            ("UTF-8''%FF", "plain"), ("UTF-8''%C3", "plain"), ("UTF-8''%ED%A0%80", "plain"), ("UTF-8''a%", "plain"),
            ("UTF-8''a%2", "plain"), ("UTF-8''%GG", "plain"), ("UTF-8'a.txt", "plain"), ("a.txt", "plain"),
            ("''a.txt", "plain"),
            ("UTF-16''a", "plain"), ("ISO-8859-1''ü", "plain"), ("ISO-8859-2''%A3", "plain"), ("UTF-8''", "plain"),
            ("", "plain"),
            ("ISO-8859-1''", "plain"),
        ])
    func extended(value: String, expected: String) {
        #expect(ContentDisposition.fileName("attachment; filename=plain; filename*=\(value)") == expected)
        #expect(ContentDisposition.fileName("attachment; filename*=\(value); filename=\"plain\"") == expected)
        #expect(ContentDisposition.fileName("attachment; filename*=\(value)") == (expected == "plain" ? nil : expected))
    }

    @Test("every byte, percent-encoded, in both charsets", arguments: 0...255 as ClosedRange<UInt8>)
    func everyByte(byte: UInt8) {
        let hex = String(byte >> 4, radix: 16) + String(byte & 15, radix: 16).uppercased()
        let character = String(Unicode.Scalar(byte))
        #expect(
            ContentDisposition.fileName("a; filename*=iso-8859-1''%\(hex)") == Windows1252.decoded([byte]))
        if !(0x80...0x9F ~= byte) { #expect(Windows1252.decoded([byte]) == character) }
        #expect(ContentDisposition.fileName("a; filename*=UTF-8''%\(hex)") == (byte < 0x80 ? character : nil))
    }

    @Test("a name that is quoted by the rules comes back", arguments: 1...10 as ClosedRange<UInt64>)
    func roundTrip(seed: UInt64) {
        var fuzz = FuzzText(seed: seed)
        for _ in 0..<200 {
            let name = "x" + fuzz.noise()
            let quoted = name.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }.joined()
            #expect(ContentDisposition.fileName("attachment; filename=\"\(quoted)\"; x=y") == name)
            let encoded = name.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
            #expect(ContentDisposition.fileName("attachment; filename=b; filename*=UTF-8''\(encoded)") == name)
        }
    }

    @Test("no text crashes it, and none makes an empty name", arguments: 1...20 as ClosedRange<UInt64>)
    func survivesAnything(seed: UInt64) {
        var fuzz = FuzzText(seed: seed)
        let pieces = [
            "filename", "*", "=", ";", "\"", "\\", "'", "UTF-8", "iso-8859-1", "%", "%C3", "%BC", "ü", " ", "a",
            "\u{301}",
        ]
        for _ in 0..<500 {
            for text in [
                fuzz.noise(), fuzz.mixture(of: pieces), "filename*=UTF-8''" + fuzz.mixture(of: pieces),
                fuzz.mutation(of: "attachment; filename=\"a\\\"b.txt\"; filename*=UTF-8'en'%C3%BC.txt"),
            ] {
                #expect(ContentDisposition.fileName(text)?.isEmpty != true)
            }
        }
    }
}
