import ArgumentParser
import Foundation
import HaulCore
import HaulTesting
import Testing

@testable import HaulCLI

@Suite("Pipes and devices as the output") struct StreamTargetTests {
    private func plan(_ arguments: [String], isPipe: Bool = true) throws -> GetPlan {
        let command = try #require(try HaulCommand.parseAsRoot(["get"] + arguments) as? GetCommand)
        return try GetPlan(command.arguments, isPipeOrDevice: { $0 == "d/p" && isPipe })
    }

    @Test("a path of a pipe is streamed to, any other is a file") func plans() throws {
        #expect(try plan(["-o", "p", "-d", "d", "http://h/a"]).streamTarget == .path("d/p"))
        #expect(
            try plan(["-o", "p", "-d", "d", "http://h/a"], isPipe: false).template.destination == .file(path: "d/p"))
        #expect(try plan(["-o", "p", "http://h/a"]).streamTarget == nil)
        #expect(try plan(["-o", "-", "http://h/a"]).streamTarget == .standardOutput)
        #expect(try plan(["-o", "/dev/stdout", "http://h/a"]).streamTarget == .standardOutput)
        #expect(try plan(["-o", "p", "-d", "d", "--json", "http://h/a"]).json)
        #expect(throws: InvalidOptions.self) { try plan(["-o", "-", "--json", "http://h/a"]) }
    }

    @Test("devices and pipes are recognised") func kinds() throws {
        let folder = try TemporaryFolder()
        try folder.put([1], "file")
        #expect(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "pipe")
        for (path, isStream) in [
            ("/dev/null", true), ("\(folder.path)/pipe", true), ("\(folder.path)/link", true),
            ("\(folder.path)/file", false), (folder.path, false), ("\(folder.path)/none", false),
        ] {
            #expect(OutputFile.isPipeOrDevice(path) == isStream, "\(path)")
        }
    }

    @Test(
        "the program writes to /dev/null and to a pipe, and says when a device is full",
        .enabled(if: BuiltProgram.exists), .timeLimit(.minutes(5)))
    func program() async throws {
        let content = Resource.file(seed: 5, size: 3_000_001)
        try await FaultServer.run(["/f": content]) { server in
            let folder = try TemporaryFolder()
            let url = server.url("/f")
            let null = try await BuiltProgram.run(["get", "-o", "/dev/null", url], in: folder)
            #expect(null.status == 0 && folder.names.isEmpty, "\(null.error)")
            #expect(unsafe mkfifo(folder.path + "/pipe", 0o600) == 0)
            let piped = try await BuiltProgram.run(
                ["-c", "cat pipe > copy & '\(BuiltProgram.path)' get -o pipe '\(url)'; code=$?; wait; exit $code"],
                in: folder, program: "/bin/sh")
            #expect(piped.status == 0 && folder.bytes("copy") == content.allBytes, "\(piped.error)")
            #expect(folder.names == ["copy", "pipe"])
            #if os(Linux)
                let full = try await BuiltProgram.run(["get", "-o", "/dev/full", url], in: folder)
                #expect(full.status == 17 && full.error.contains("can't write to /dev/full"), "\(full.error)")
            #endif
        }
    }
}
