import Haul
import HaulTesting
import Testing

@Suite("From end to end, with the servers for tests", .serialized, .timeLimit(.minutes(2)))
struct EndToEndTests {
    @Test("a server that cuts the first response")
    func cut() async throws {
        let folder = try TemporaryFolder()
        // snippet: faultServer
        let file = Resource.file(seed: 1, size: 3_000_000)
        let cutOnce = file.script { $0.number == 1 ? .cut(after: 1_000_000) : .normal }
        try await FaultServer.run(["/f": cutOnce]) { server in
            let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
            let download = try await manager.add(
                DownloadSpec(url: server.url("/f"), destination: .folder(path: folder.path)))
            _ = try await download.finished()
            #expect(folder.bytes("f") == file.allBytes)
            await manager.close()
        }
        // end snippet
    }

    @Test("a case of a nonconforming server")
    func sloppy() async throws {
        let folder = try TemporaryFolder()
        let sloppy = try #require(SloppyCase.all.first { $0.description == "names: UTF-8" })
        try await FaultServer.run(sloppy.resources) { server in
            let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
            let download = try await manager.add(
                DownloadSpec(url: server.url(sloppy.path), destination: .folder(path: folder.path)))
            _ = try await download.finished()
            #expect(folder.names == ["foo-ä.html"] && folder.bytes("foo-ä.html") == sloppy.bytes)
            await manager.close()
        }
    }
}
