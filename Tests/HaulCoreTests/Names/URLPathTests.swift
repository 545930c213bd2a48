import Testing

@testable import HaulCore

@Suite struct URLPathTests {
    private static func canonical(_ path: String) -> String { URLPath.canonical(Array(path.utf8)[...]) }

    /// All texts over a few signs, up to a length.
    private static func texts(of signs: [String], length: Int) -> [String] {
        guard length > 0 else { return [""] }
        let shorter = texts(of: signs, length: length - 1)
        return shorter + shorter.filter { $0.count == length - 1 }.flatMap { text in signs.map { text + $0 } }
    }

    /// What is canonical stays, and an escape beside it, which is looked at sign by sign, changes nothing of it.
    @Test func plainPathsAreJudgedAsAllOthers() {
        for text in Self.texts(of: ["/", ".", "a", "_"], length: 6) {
            let canonical = Self.canonical("/" + text)
            #expect(Self.canonical(canonical) == canonical)
            #expect(!canonical.split(separator: "/").contains { $0 == "." || $0 == ".." })
            #expect(
                Self.canonical("/" + text + "/%41")
                    == (canonical.hasSuffix("/") && text.hasSuffix(".")
                        ? canonical + "%41" : canonical + "/%41"),
                "\\(text)")
        }
    }

    @Test(arguments: 0...255 as ClosedRange<UInt8>) func eachByteIsSentOrEncoded(byte: UInt8) {
        let canonical = URLPath.canonical([UInt8(ascii: "/"), UInt8(ascii: "a"), byte, UInt8(ascii: "b")])
        let sent: Set<UInt8> = Set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/".utf8)
        let hex = String(byte, radix: 16, uppercase: true)
        let encoded = "%" + (byte < 16 ? "0" : "") + hex
        #expect(canonical == "/a" + (sent.contains(byte) ? String(UnicodeScalar(byte)) : encoded) + "b")
    }
}
