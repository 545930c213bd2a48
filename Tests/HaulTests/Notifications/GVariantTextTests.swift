import Haul
import Testing

@testable import HaulLocal

@Suite struct GVariantTextTests {
    @Test(arguments: [
        ("", "''"), ("a b", "'a b'"), ("it's", #"'it\'s'"#), (#"\"#, #"'\\'"#), ("\"", "'\"'"),
        ("a\nb", #"'a\u000ab'"#),
        ("\u{7F}\u{9F}", #"'\u007f\u009f'"#), ("a\0b", "'ab'"), ("é😀", "'é😀'"), ("'\u{301}", "'\\'\u{301}'"),
        ("', <b", #"'\', <b'"#),
    ])
    func writesStrings(text: String, expected: String) {
        #expect(Array(GVariantText.string(text).unicodeScalars) == Array(expected.unicodeScalars))
    }

    /// Read as GLib reads it, every character comes back, and the literal never ends early.
    @Test func everyCharacterComesBack() throws {
        for value in UInt32(1)...0x2FF {
            let scalar = try #require(Unicode.Scalar(value))
            for text in ["\(scalar)", "\\\(scalar)", "\(scalar)\\", "'\(scalar)0"] {
                try #require(Self.read(GVariantText.string(text)) == Array(text.unicodeScalars))
            }
        }
    }

    /// What stands in a literal, or nil where it is none.
    private static func read(_ literal: String) -> [Unicode.Scalar]? {
        var rest = Array(literal.unicodeScalars)[...]
        var result: [Unicode.Scalar] = []
        guard rest.popFirst() == "'" else { return nil }
        while let next = rest.popFirst() {
            switch next {
            case "'": return rest.isEmpty ? result : nil
            case "\\":
                guard let escaped = rest.popFirst() else { return nil }
                guard escaped == "u" else {
                    result.append(escaped)
                    continue
                }
                var digits = String.UnicodeScalarView()
                digits.append(contentsOf: rest.prefix(4))
                rest = rest.dropFirst(4)
                guard let value = UInt32(String(digits), radix: 16), let scalar = Unicode.Scalar(value) else {
                    return nil
                }
                result.append(scalar)
            default: result.append(next)
            }
        }
        return nil
    }
}
