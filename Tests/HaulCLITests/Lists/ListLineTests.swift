import HaulCore
import HaulTestData
import Testing

@testable import HaulCLI

@Suite struct ListLineTests {
    @Test(arguments: ["", "  \t", "\r", "# a comment", "  # http://h/x", "\u{FEFF}", "#"])
    func blanksAndCommentsAreNothing(line: String) {
        #expect(ListLine(.text(line)) == .nothing)
    }

    @Test(arguments: [
        "http://h/x", " http://h/x\t", "http://h/x\r", "\u{FEFF}http://h/x", "\thttp://h/x", "http://h/x # c #",
        "http://h/x\t#",
    ])
    func aURLIsFreedOfBlanks(line: String) {
        #expect(ListLine(.text(line)) == .urls(["http://h/x"]))
    }

    @Test("A fragment is no comment, and a comment ends the mirrors")
    func fragments() {
        #expect(ListLine(.text("http://h/x#y")) == .urls(["http://h/x#y"]))
        #expect(ListLine(.text("http://h/x\thttp://m/x  # the mirror")) == .urls(["http://h/x", "http://m/x"]))
    }

    @Test func aFragmentIsNoComment() {
        #expect(ListLine(.text("http://h/x#y")) == .urls(["http://h/x#y"]))
    }

    @Test func tabsSeparateMirrors() {
        #expect(
            ListLine(.text("http://a/x\thttps://b/x \t\tftp://c/x"))
                == .urls(["http://a/x", "https://b/x", "ftp://c/x"]))
    }

    @Test(arguments: [
        ("  out=a b.bin", "out", "a b.bin"), ("\tuser-agent = me/1 ", "user-agent", "me/1"),
        (" checksum=sha-256=00ff", "checksum", "sha-256=00ff"), (" out=", "out", ""),
        ("  header=X: http://h/?a=b", "header", "X: http://h/?a=b"),
    ])
    func anIndentedLineIsAnOption(line: String, name: String, value: String) {
        #expect(ListLine(.text(line)) == .option(ListOption(name, value)))
    }

    @Test func anIndentedURLWithASignOfEqualityIsStillAURL() {
        #expect(ListLine(.text("  http://h/x?out=y")) == .urls(["http://h/x?out=y"]))
    }

    @Test func whatMayBeACredentialIsNotRepeated() {
        for line in ["  Authorization: Bearer hunter2", "{\"header\": hunter2", "{\"headers\": [[\"hunter2\"]]}"] {
            let message: String
            switch ListLine(.text(line)) {
            case .bad(let text), .badOption(let text): message = text
            case .nothing, .urls, .option, .object:
                Issue.record("\(line) is no good line")
                continue
            }
            #expect(!message.contains("hunter2"))
        }
    }

    @Test func aLineTooLongIsBad() {
        guard case .bad(let message) = ListLine(.tooLong) else { return #expect(Bool(false)) }
        #expect(message.contains("65536"))
    }

    @Test("a line that is not UTF-8 is bad, as an option or as a URL", arguments: [true, false])
    func notText(isIndented: Bool) {
        switch ListLine(.notText(isIndented: isIndented)) {
        case .badOption(let message): #expect(isIndented && message.contains("UTF-8"))
        case .bad(let message): #expect(!isIndented && message.contains("UTF-8"))
        case let line: Issue.record("\(line)")
        }
    }

    @Test func anObjectHasURLsAndOptions() {
        let text = """
            {"url": "http://a/x", "mirrors": ["http://b/x"], "output": "o", "connections": 4, "insecure": true, \
            "headers": {"B": "2", "A": "1"}, "checksum": null, "limitRate": "1M"}
            """
        let options = [
            ("connections", "4"), ("headers", "A: 1"), ("headers", "B: 2"), ("insecure", "true"), ("limitRate", "1M"),
            ("output", "o"),
        ].map { ListOption($0.0, $0.1) }
        #expect(ListLine(.text(text)) == .object(urls: ["http://a/x", "http://b/x"], options))
    }

    @Test(
        "an option with one value has no list, not even an empty one",
        arguments: [
            ("checksum", "{}"), ("checksum", "[]"), ("checksum", "[\"x\"]"), ("output", "[]"), ("onConflict", "{}"),
            ("range", "[\"0-9\", \"1-2\"]"),
        ])
    func oneValue(name: String, value: String) {
        #expect(
            ListLine(.text("{\"url\": \"http://h/\", \"\(name)\": \(value)}"))
                == .bad("\"\(name)\": expected one value, not several"))
    }

    @Test("options that may be repeated have lists", arguments: ["headers", "header", "mirrors", "tag"])
    func severalValues(name: String) {
        #expect(
            ListLine(.text("{\"url\": \"http://h/\", \"\(name)\": []}")) == .object(urls: ["http://h/"], []))
    }

    @Test(arguments: [
        "{}", "{\"url\": 5", "{\"output\": \"x\"}", "{\"url\": {\"a\": 1}}", "{\"url\": \"http://h/\"} x",
    ])
    func anObjectWithoutAURLIsBad(text: String) {
        guard case .bad = ListLine(.text(text)) else { return #expect(Bool(false)) }
    }

    @Test func anyTextIsSurvived() {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<20_000 {
            let text = random.text(maximum: 40, of: "http://:@#?% \r\t[]{}\",=-0eE.")
            var assembler = ListAssembler()
            for element in assembler.take(.text(text), number: 1) + assembler.finish() {
                guard case .entry(let entry) = element else { continue }
                #expect(!entry.urls.isEmpty)
                _ = try? entry.spec(DownloadSpec(url: "", destination: .folder(path: ".")))
            }
        }
    }

    @Test func deepJSONIsSurvived() {
        let deep = "{\"url\":" + String(repeating: "[", count: 30_000)
        guard case .bad = ListLine(.text(deep)) else { return #expect(Bool(false)) }
    }
}
