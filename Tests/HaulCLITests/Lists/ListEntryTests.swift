import Testing

@testable import HaulCLI

@Suite struct ListEntryTests {
    @Test(arguments: ["", "  \t", "\r", "# a comment", "  # http://h/x", "\u{FEFF}", "#"])
    func blanksAndCommentsAreNothing(line: String) {
        #expect(ListEntry(.text(line)) == .nothing)
    }

    @Test(arguments: ["http://h/x", " http://h/x\t", "http://h/x\r", "\u{FEFF}http://h/x"])
    func aURLIsFreedOfBlanks(line: String) {
        #expect(ListEntry(.text(line)) == .url("http://h/x"))
    }

    @Test func aFragmentIsNoComment() {
        #expect(ListEntry(.text("http://h/x#y")) == .url("http://h/x#y"))
    }

    @Test func anythingElseIsBadAndNamed() {
        guard case .bad(let message) = ListEntry(.text("htp://h/x")) else { return #expect(Bool(false)) }
        #expect(message.contains("\"htp://h/x\""))
        guard case .bad(let long) = ListEntry(.tooLong) else { return #expect(Bool(false)) }
        #expect(long.contains("65536"))
    }

    @Test func aPasswordIsNotRepeated() {
        guard case .bad(let message) = ListEntry(.text("fish://me:hunter2@h/x")) else { return #expect(Bool(false)) }
        #expect(!message.contains("hunter2"))
    }

    @Test func anyTextIsSurvived() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<5000 {
            let text = random.text(longest: 30, of: "http://:@#?% \r\t[]")
            if case .url(let url) = ListEntry(.text(text)) { #expect(text.contains(url)) }
        }
    }
}
