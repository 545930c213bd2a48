import HaulLibC
import HaulTesting
import Testing

@Suite("The arguments of the process")
struct ProcessArgumentsTests {
    @Test("are those that Swift has, where it has them")
    func same() throws { #expect(try ProcessArguments.words() == CommandLine.arguments) }

    @Test(
        "a word that is not UTF-8 is refused, because as text it would name another file",
        arguments: [
            ([0x63, 0x61, 0x66, 0xE9], "caf\\xe9"), ([0xC3, 0xA9, 0xFF], "é\\xff"),
            ([0xED, 0xA0, 0x80, 0x61], "\\xed\\xa0\\x80a"),
        ] as [([UInt8], String)])
    func undecodable(bytes: [UInt8], shown: String) {
        #expect(throws: ProcessArguments.Undecodable(shown: shown)) { try ProcessArguments.word(bytes) }
    }

    @Test("the program says so, and does nothing", .enabled(if: BuiltProgram.exists))
    func program() async throws {
        let folder = try TemporaryFolder()
        let script = "exec \"$0\" get -o \"$(printf 'r\\351')\" http://127.0.0.1:1/f"
        let end = try await BuiltProgram.run(["-c", script, BuiltProgram.path], in: folder, program: "/bin/sh")
        #expect(end.status == 2 && end.error.hasPrefix("haul: the argument \"r\\xe9\" is not UTF-8"), "\(end.error)")
    }

    @Test("others are taken as they are", arguments: ["", "get", "é", "e\u{301}", "日本", "🎞"])
    func decodable(word: String) throws {
        #expect(try ProcessArguments.word(Array(word.utf8)).utf8.elementsEqual(word.utf8))
    }
}
