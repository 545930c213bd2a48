import HaulAria2
import HaulTestData
import Testing

@Suite("Input files and sessions")
struct Aria2ListTests {
    static func read(_ text: String) -> Aria2List { Aria2List(parsing: Array(text.utf8)) }

    @Test("URIs with tabs between them, options behind them, comments, all line ends")
    func reads() {
        let list = Self.read(
            "# c\nhttp://a/1\thttp://b/1 \r\n  out=x y\r\n\tdir=/d\n header=A: 1\n header=B: 2\n\n out=z\nhttp://a/2\n")
        #expect(
            list.entries == [
                .init(
                    line: 2, uris: ["http://a/1", "http://b/1"],
                    options: [
                        .init("out", .string("z")), .init("dir", .string("/d")),
                        .init("header", .array([.string("A: 1"), .string("B: 2")])),
                    ]),
                .init(line: 9, uris: ["http://a/2"]),
            ])
        #expect(Self.read(" out=lost\n\n#\nx").entries.map(\.line) == [4])
    }

    @Test("blanks at both ends of names and values are ignored")
    func blanks() {
        let list = Self.read("http://a/1 \n  out = a1 \t\r\n dir=/d \n")
        #expect(
            list.entries.map(\.options) == [
                [JSON.Member("out", .string("a1")), JSON.Member("dir", .string("/d"))]
            ])
    }

    @Test("what is written is read again")
    func roundTrip() {
        let entry = Aria2List.Entry(
            line: 1, uris: ["http://a/1", "http://b/1"],
            options: [
                .init("gid", .string("0123456789abcdef")), .init("header", .array([.string("A: 1"), .string("B: 2")])),
            ])
        #expect(Aria2List(parsing: Array(Aria2List([entry]).text.utf8)).entries == [entry])
    }

    @Test("no value begins a line of its own, and no URI is taken for something else")
    func hostile() {
        let entry = Aria2List.Entry(
            line: 1, uris: ["http://a/\nhttp://evil/", "#no", " out=x", "http://ok/"],
            options: [.init("out", .string("a\nhttp://evil/"))])
        #expect(Aria2List([entry]).text == "http://ok/\n")
        #expect(Aria2List([.init(line: 1, uris: ["\n"])]).text.isEmpty)
    }

    @Test("any bytes are read")
    func anyBytes() {
        var generator = SeededGenerator(seed: 3)
        let alphabet: [UInt8] = Array(" \t\r\n#=ahtp:/".utf8) + [0, 0xFF, 0xC3]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let list = Aria2List(parsing: bytes)
            #expect(list.entries.allSatisfy { !$0.uris.isEmpty })
        }
    }
}
