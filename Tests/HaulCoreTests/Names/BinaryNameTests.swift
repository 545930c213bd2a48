import HaulCore
import Testing

@Suite("Names that are no web page's")
struct BinaryNameTests {
    @Test(
        arguments: [
            ("a.zip", true), ("a.tar.GZ", true), ("/d/a.iso", true), ("a.html", false), ("a.php", false), ("a", false),
            (".zip", false), ("a.", false), ("", false), ("example.com", false), ("a.zip.html", false), ("v1.2", false),
        ])
    func known(name: String, isKnown: Bool) {
        #expect(BinaryName.isNoPage(name) == isKnown)
        #expect(BinaryName.isNoText(name) == isKnown)
    }

    @Test("some are text", arguments: ["a.json", "a.csv", "a.SHA256", "a.asc", "a.meta4"])
    func text(name: String) { #expect(BinaryName.isNoPage(name) && !BinaryName.isNoText(name)) }
}
