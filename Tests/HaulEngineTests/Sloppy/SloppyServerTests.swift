import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Sloppy servers: the right file under the right name or a clear error", .usesSockets)
struct SloppyServerTests {
    @Test(arguments: SloppyCase.all, [1, 4])
    func sloppy(trial: SloppyCase, connections: Int) async throws {
        try await FaultServer.run(trial.resources) { server in
            let folder = try TemporaryFolder()
            var configuration = EngineConfiguration()
            configuration.firstRetryDelay = .milliseconds(5)
            let engine = try DownloadEngine(configuration)
            var spec = DownloadSpec(url: server.url(trial.path), destination: .folder(path: folder.path))
            spec.connections = .fixed(connections)
            spec.retries = 1
            spec.idleTimeout = .seconds(5)
            let result = await engine.run(spec) { _ in }
            await engine.shutdown()
            switch (trial.outcome, result) {
            case (.file(let name), .success):
                #expect(folder.names == [name])
                let isRight = folder.bytes(name) == trial.bytes
                #expect(isRight, "a wrong file was called complete")
            case (.fails(let code), .failure(let error)):
                #expect(error.code == code, "\(error)")
                #expect(folder.names.allSatisfy { $0.hasSuffix(".haul") })
            case (.file, .failure(let error)): Issue.record("\(error)")
            case (.fails, .success): Issue.record("it should have failed, and made \(folder.names)")
            }
        }
    }
    @Test("an unreadable response is asked for again over libcurl, once, and the origin is remembered")
    func repeatedOnce() async throws {
        var response = SloppyResponse()
        response.newline = "\n"
        try await FaultServer.run(["/f": SloppyCase.resource(response)]) { server in
            let folder = try TemporaryFolder()
            let engine = try DownloadEngine(EngineConfiguration())
            for (name, requests) in [("first", 2), ("second", 3)] {
                var spec = DownloadSpec(
                    url: server.url("/f"), destination: .file(path: "\(folder.path)/\(name)"))
                spec.connections = .fixed(1)
                spec.retries = 0
                _ = try await engine.run(spec) { _ in }.get()
                #expect(folder.bytes(name) == SloppyCase.content.allBytes)
                #expect(server.requests("/f").count == requests)
            }
            await engine.shutdown()
        }
    }

    @Test("a body that becomes unreadable halfway is retried over libcurl", arguments: [1, 4])
    func unreadableBody(connections: Int) async throws {
        // 8192 bytes, and a blank behind the size.
        let resource = SloppyCase.content.script { _ in .chunked(size: 8192, .size("2000 ", after: 98_304)) }
        try await FaultServer.run(["/f": resource]) { server in
            let folder = try TemporaryFolder()
            var configuration = EngineConfiguration()
            configuration.firstRetryDelay = .milliseconds(5)
            let engine = try DownloadEngine(configuration)
            var spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: folder.path))
            spec.connections = .fixed(connections)
            spec.retries = 1
            let result = await engine.run(spec) { _ in }
            await engine.shutdown()
            _ = try result.get()
            #expect(folder.bytes("f") == SloppyCase.content.allBytes)
        }
    }
}
