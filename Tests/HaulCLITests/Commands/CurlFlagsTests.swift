import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Flags of curl that change nothing are accepted") struct CurlFlagsTests {
    private func read(_ arguments: [String], terminal: Bool = true) -> CurlFlags.Reading {
        CurlFlags.read(arguments, printsToTerminal: terminal)
    }

    @Test(
        "they are removed",
        arguments: [
            (["-L"], []), (["-f"], []), (["-LO"], []), (["-OJ"], []), (["-O"], []), (["-fSL"], []), (["-fsSL"], ["-q"]),
            (["-sS"], ["-q"]), (["-sSLo", "f"], ["-q", "-o", "f"]), (["-Lo", "f"], ["-o", "f"]), (["-s"], ["-q"]),
            (["--location", "--fail", "--create-dirs"], []), (["--silent", "-O"], ["-q"]), (["-o-"], ["-o", "-"]),
            (["-qo-"], ["-q", "-o", "-"]), (["-#"], []), (["-fL#"], []), (["-#LO"], []),
            (["-sLo-"], ["-q", "-o", "-"]),
        ] as [([String], [String])])
    func removed(flags: [String], rest: [String]) {
        #expect(read(["get"] + flags + ["http://h/a"]) == .arguments(["get"] + rest + ["http://h/a"]))
        #expect(read(["get", "http://h/a"] + flags) == .arguments(["get", "http://h/a"] + rest))
    }

    @Test(
        "others are left to the parser",
        arguments: [
            ["-"], ["-s", "5"], ["-o", "f"], ["-O", "f"], ["-qO", "f"], ["-LO", "f"], ["-O", "x.bin"],
            ["-qO", "x.tar.gz"],
            ["-O", "./x"], ["-O", "-"], ["-kL"], ["-LY"], ["-oL"], ["-S5"], ["--"], ["--", "-L"], ["-q"], ["-C", "-"],
            [""],
        ])
    func left(words: [String]) {
        for arguments in [["get"] + words + ["http://h/a"], ["get", "h.org/a"] + words] {
            #expect(read(arguments) == .arguments(arguments))
        }
    }

    @Test("after -O, a name without a scheme is the URL if no other argument can be")
    func hosts() {
        #expect(read(["get", "-O", "h.org/a"]) == .arguments(["get", "h.org/a"]))
        #expect(
            read(["get", "-LO", "http://h.org/a", "http://h.org/b"])
                == .arguments(["get", "http://h.org/a", "http://h.org/b"]))
    }

    @Test(
        "they are refused if curl would write to a standard output that is not a terminal",
        arguments: [
            (["-fsSL", "http://h/a"], "-fsSL"), (["http://h/a", "-L"], "-L"), (["--silent", "http://h/a"], "--silent"),
            (["-fsSLO", "http://h/a"], nil), (["-L", "-o", "f", "http://h/a"], nil), (["-Lo", "f", "http://h/a"], nil),
            (["-L", "--output=f", "http://h/a"], nil), (["-L", "-d", "f", "http://h/a"], nil), (["http://h/a"], nil),
            (["-q", "http://h/a"], nil), (["-fL", "-i", "list"], nil),
        ] as [([String], String?)])
    func output(words: [String], refused: String?) {
        let reading = read(["get"] + words, terminal: false)
        if let refused {
            let reason = "a file is saved, as with -O: write -O as well; for standard output write -o -"
            #expect(reading == .refused("\(refused): \(reason)"))
        } else if case .refused(let reason) = reading {
            Issue.record("\(reason)")
        }
    }

    @Test("the program downloads with them", .enabled(if: BuiltProgram.exists))
    func program() async throws {
        let file = Resource.file(seed: 7, size: 1000)
        try await FaultServer.run(["/a": file]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(["-fsSL", server.url("/a"), "-o", "b"], in: folder)
            #expect(end.status == 0 && end.error.isEmpty && end.output.isEmpty)
            #expect(folder.bytes("b") == file.allBytes)
            #expect(try await BuiltProgram.run(["-fsSL", server.url("/a")], in: folder).status == 2)
            #expect(try await BuiltProgram.run(["-O", "x.bin", server.url("/a")], in: folder).status == 2)
        }
    }
}
