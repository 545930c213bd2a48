import Testing

@testable import HaulCore

@Suite struct ByteSearchTests {
    @Test(
        "A text is found by its bytes, wherever it is",
        arguments: [
            ("http://h", "://", 4), ("://", "://", 0), ("a:/b://", "://", 4), ("ä://\u{301}", "://", 2), ("abc", "", 0),
        ])
    func found(text: String, part: String, offset: Int) {
        #expect(
            text.firstIndex(ofBytes: part)?.utf16Offset(in: text)
                == text.utf8.index(text.startIndex, offsetBy: offset).utf16Offset(in: text))
        #expect(text.contains(bytes: part))
    }

    @Test(
        "A text that is not there is not found",
        arguments: [("", "://"), ("http:/", "://"), ("http:/ /", "://"), ("", "a")])
    func missing(text: String, part: String) { #expect(!text.contains(bytes: part)) }
}
