import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Flags of curl that change nothing are accepted") struct CurlFlagsTests {
    @Test(
        "they are removed",
        arguments: [
            (["-L"], []), (["-f"], []), (["-LO"], []), (["-OJ"], []), (["-O"], []), (["-fSL"], []), (["-fsSL"], ["-q"]),
            (["-sS"], ["-q"]), (["-sSLo", "f"], ["-q", "-o", "f"]), (["-Lo", "f"], ["-o", "f"]),
            (["--location", "--fail", "--create-dirs"], []),
        ] as [([String], [String])])
    func removed(flags: [String], rest: [String]) {
        #expect(CurlFlags.removed(from: ["get"] + flags + ["http://h/a"]) == ["get"] + rest + ["http://h/a"])
        #expect(CurlFlags.removed(from: ["get", "http://h/a"] + flags) == ["get", "http://h/a"] + rest)
    }

    @Test(
        "others are left to the parser",
        arguments: [
            ["-"], ["-s"], ["-s", "5"], ["-o", "f"], ["-O", "f"], ["-qO", "f"], ["-LO", "f"], ["-kL"], ["-LY"], ["-oL"],
            ["-S5"], ["--"], ["--", "-L"], ["-q"], ["-C", "-"], [""],
        ])
    func left(words: [String]) {
        let arguments = ["get"] + words + ["http://h/a"]
        #expect(CurlFlags.removed(from: arguments) == arguments)
    }

    @Test("the program downloads with them", .enabled(if: BuiltProgram.exists))
    func program() async throws {
        let file = Resource.file(seed: 7, size: 1000)
        try await FaultServer.run(["/a": file]) { server in
            let folder = try TemporaryFolder()
            let end = try await BuiltProgram.run(["-fsSL", server.url("/a"), "-o", "b"], in: folder)
            #expect(end.status == 0 && end.error.isEmpty && end.output.isEmpty)
            #expect(folder.bytes("b") == file.allBytes)
        }
    }
}
