import HaulAria2
import HaulTestData
import Testing

@Suite("JSON")
struct JSONTests {
    static func read(_ text: String) -> JSON? { try? JSONReader.read(Array(text.utf8)) }

    @Test(
        "what is JSON is read as it is written",
        arguments: [
            ("null", .null), (" true ", .bool(true)), ("false", .bool(false)), ("-0", .number("-0")),
            ("12.50e+3", .number("12.50e+3")), (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{C}\n\r\t")),
            (#""\u00e4\uD83D\uDE00""#, .string("ä😀")), ("[]", .array([])), ("{}", .object([JSON.Member]())),
            (#"[1,[2],"x"]"#, .array([.number("1"), .array([.number("2")]), .string("x")])),
            (#"{"a":1,"b":{"c":null}}"#, .object(["a": .number("1"), "b": .object(["c": .null])])),
            // Half a pair of UTF-16 is no character.
            (#""\uD83Dx""#, .string("\u{FFFD}x")), (#""\uDE00""#, .string("\u{FFFD}")),
            (#""\uD83D\u0041""#, .string("\u{FFFD}A")),
        ] as [(String, JSON)])
    func reads(text: String, value: JSON) {
        #expect(Self.read(text) == value)
    }

    @Test(
        "what is none is refused",
        arguments: [
            "", " ", "nul", "truex", "01", "+1", "1.", ".5", "1e", "-", "[1,]", "[1 2]", "{\"a\"}", "{a:1}",
            "{\"a\":1,}",
            "\"", "\"\\x\"", "\"\\u12\"", "\"\\u00g0\"", "\"a\nb\"", "1 2", "[", "{\"a\":", "\u{FEFF}1", "NaN",
        ])
    func refuses(text: String) {
        #expect(Self.read(text) == nil)
    }

    @Test("a name that an object has twice is refused, in any spelling and at any depth")
    func duplicates() {
        for text in [#"{"a":1,"a":1}"#, #"[{"b":{"a":1,"\u0061":2}}]"#] {
            let failure = #expect(throws: JSONReader.Failure.self) { try JSONReader.read(Array(text.utf8)) }
            #expect(failure?.isDuplicate == true)
        }
        #expect(Self.read(#"{"a":{"a":1},"b":[{"a":1},{"a":2}]}"#) != nil)
        #expect((try? JSONReader.read(Array(#"{"a":1,"a":"#.utf8))) == nil)
    }

    @Test("64 levels are read, and no more; bytes that are no UTF-8 are refused")
    func limits() {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        #expect(Self.read(nested(64)) != nil)
        #expect(Self.read(nested(65)) == nil)
        #expect(Self.read(nested(1_000_000)) == nil)
        #expect((try? JSONReader.read([0x22, 0xFF, 0x22])) == nil)
        #expect((try? JSONReader.read([0x22, 0xC0, 0x80, 0x22])) == nil)
    }

    @Test("what is written is read again, whatever is in it, on one line that ends no script")
    func roundTrip() {
        let values: [JSON] = [
            .object(["a": .array([.null, .bool(true), .number("1.5")]), "": .string("")]),
            .string("\u{0}\u{1F}\u{7F}\u{2028}\u{2029}\"\\</script>ä😀"),
        ]
        for value in values {
            #expect((try? JSONReader.read(value.bytes)) == value)
            #expect(!value.line.unicodeScalars.contains { $0 == "\n" || $0 == "<" || $0 == "\u{2028}" })
        }
    }

    @Test("any bytes give a value or an error")
    func anyBytes() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array(#"{}[]",:\u0123456789eE+-.truefalsn "#.utf8) + [0, 0x80, 0xFF, 0xD8]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0..<24, using: &generator)
            let bytes = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            if let value = try? JSONReader.read(bytes) { #expect((try? JSONReader.read(value.bytes)) == value) }
        }
    }

    @Test("whole numbers that Int64 holds are numbers; others are none, and harmless")
    func integers() {
        #expect(Self.read("9223372036854775807")?.integer == .max)
        for text in ["9223372036854775808", "1.0", "1e3", "1e999999", "\"1\""] {
            #expect(Self.read(text)?.integer == nil)
        }
    }
}
