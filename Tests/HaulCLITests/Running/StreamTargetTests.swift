import ArgumentParser
import Foundation
import Haul
import HaulCore
import HaulTesting
import Synchronization
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

    @Test(
        "a stream waits for the network before its first byte; without the option it fails", arguments: [true, false])
    func network(waits: Bool) async throws {
        let content = Resource.file(seed: 6, size: 300_000)
        try await FaultServer.run(["/f": content.script { _ in .cut(after: 0) }]) { server in
            let folder = try TemporaryFolder()
            try folder.put([], "out")
            var plan = GetPlan(urls: [server.url("/f")])
            plan.streamTarget = .path(folder.path + "/out")
            let stream = try #require(try StreamRun(plan))
            let engine = try DownloadEngine()
            let isBack = Atomic(false)
            let probe = NetworkProbe(hasRoute: { isBack.load(ordering: .acquiring) }, isCutOff: { _ in true })
            let waited = Mutex(0)
            var spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: folder.path))
            spec.retries = waits ? 1000 : 0
            let result = await stream.run(
                spec, over: engine, watch: TransferWatch(), waitsForNetwork: waits, probe
            ) { event in
                guard case .waiting(.network, _) = event else { return }
                waited.withLock { $0 += 1 }
                server.set("/f", content)
                isBack.store(true, ordering: .releasing)
            }
            await engine.shutdown()
            #expect(waited.withLock { $0 } == (waits ? 1 : 0))
            if waits {
                #expect(try result.get().totalBytes == 300_000)
                #expect(folder.bytes("out") == content.allBytes)
            } else {
                guard case .failure(let error) = result else {
                    Issue.record("it did not fail")
                    return
                }
                #expect(error.detail == .noNetwork)
            }
        }
    }
}
