import HaulCore
import Testing

@Suite("The normal form of percent-encoded text")
struct PercentCodingTests {
    @Test(
        "unreserved characters are decoded, other digits are in upper case, and the rest stays",
        arguments: [
            ("/%66%2eb%69n", "/f.bin"), ("/a%2fb%c3%A4", "/a%2Fb%C3%A4"), ("%", "%"), ("%4", "%4"), ("%zz%41", "%zzA"),
            ("%2541", "%2541"), ("ä%7E", "ä~"), ("", ""),
        ])
    func normalized(text: String, expected: String) {
        #expect(PercentCoding.normalized(text) == expected)
        #expect(PercentCoding.normalized(PercentCoding.normalized(text)) == expected)
    }
}
