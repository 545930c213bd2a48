import Foundation
import Haul
import HaulProcesses
import HaulTesting
import Testing

@Suite struct ProgramPathTests {
    @Test(arguments: [
        ("x", "/a:/b", "/a/x"), ("y", "/a:/b", "/b/y"), ("x", "/b:/a/", "/a/x"), ("z", "/a:/b", nil), ("x", "", nil),
        ("x", ":.:a", nil), ("./x", "/a", nil), ("a/x", "/", nil), ("", "/a", nil), ("/no/such", "/a", "/no/such"),
        ("x\0", "/a", nil), ("..", "/a", nil),
    ])
    func finds(program: String, searchPath: String, expected: String?) {
        let there: Set = ["/a/x", "/b/y", "./x", "a/x", "x"]
        #expect(ProgramPath.find(program, searchPath: searchPath, isExecutable: there.contains) == expected)
    }

    @Test func searchesTheUsualFoldersWithoutAPath() {
        #expect(ProgramPath.find("x", searchPath: nil) { $0 == "/usr/bin/x" } == "/usr/bin/x")
    }

    @Test func onlyAFileThatCanBeRunIsAProgram() async throws {
        let folder = try TemporaryFolder()
        try folder.put([], "plain")
        let program = try await folder.script("program", "")
        #expect(ProgramPath.isExecutableFile(program))
        // Root may run what anybody may run: the plain file has no such bit at all.
        #expect(!ProgramPath.isExecutableFile(folder.path("plain")))
        #expect(!ProgramPath.isExecutableFile(folder.path))
        #expect(!ProgramPath.isExecutableFile(folder.path("missing")))
    }

    @Test func findsTheRunningProgram() {
        let own = ProgramPath.own
        #expect(own.hasPrefix("/") && ProgramPath.isExecutableFile(own))
    }
}
