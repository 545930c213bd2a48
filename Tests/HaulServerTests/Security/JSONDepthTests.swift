import HaulServer
import Testing

@Suite("The depth of JSON")
struct JSONDepthTests {
    private func isAllowed(_ text: String) -> Bool { JSONDepth.isAtMost(64, in: text.utf8) }

    @Test("64 are read, 65 are not, whatever is nested")
    func limit() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let each = open.filter { "[{".contains($0) }.count
            for depth in [63, 64, 65, 66, 100_000] {
                let count = depth / each
                let text = String(repeating: open, count: count) + String(repeating: close, count: count)
                #expect(isAllowed(text) == (count * each <= 64), "\(open) \(depth)")
            }
        }
    }

    @Test("Brackets in texts do not count, and no escape hides the end of a text")
    func texts() {
        let many = String(repeating: "[", count: 100)
        #expect(isAllowed("\"\(many)\""))
        #expect(isAllowed("\"\\\"\(many)\""))
        #expect(!isAllowed("\"\\\\\"\(many)"))
        #expect(!isAllowed("\"a\"\(many)"))
        #expect(isAllowed(String(repeating: "[]", count: 1000)))
    }
}
