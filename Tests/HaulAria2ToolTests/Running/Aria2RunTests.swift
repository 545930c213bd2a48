import Foundation
import Haul
import HaulAria2
import HaulCore
import HaulTesting
import Synchronization
import Testing

@testable import HaulAria2Tool

@Suite("A run of aria2c")
struct Aria2RunTests {
    @Test("all downloads of a filter are read, in pages", arguments: [1, 2, 5, 6])
    func pages(size: Int) async throws {
        let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
        var added: [DownloadID] = []
        for number in 0..<5 {
            var spec = DownloadSpec(url: "http://127.0.0.1:1/\(number)", destination: .folder(path: "/tmp"))
            spec.startsPaused = true
            added.append(try await manager.add(spec).id)
        }
        #expect(await Aria2Run.all(.state(.paused), of: manager, page: size).map(\.id) == added)
        #expect(await Aria2Run.all(.state(.running), of: manager, page: size).isEmpty)
        await manager.close()
    }

    @Test("a run that is stopped ends its downloads before it reports them; in the session they are not paused")
    func stopped() async throws {
        let stalled = Resource.file(seed: 5, size: 300_000).script { _ in .stall(after: 100_000) }
        try await FaultServer.run(["/a": stalled]) { server in
            let folder = try TemporaryFolder()
            let session = folder.path("session")
            let uris = ["-Z", server.url("/missing"), server.url("/a")]
            let read = try Aria2Arguments(["-q", "-d", folder.path, "--save-session=\(session)"] + uris)
            let plan = Aria2Plan(options: read.options, uris: read.uris, folder: folder.path)
            let manager = try await DownloadManager(try plan.configuration(environment: [:]))
            let run = try Aria2Run(plan, manager, netrc: nil)
            let begun = manager.events(since: manager.lastEventNumber)
            async let code = run.run()
            var rest: Set<String> = ["started", "failed"]
            for try await event in begun {
                if case .started = event.kind { rest.remove("started") }
                if case .failed = event.kind { rest.remove("failed") }
                if rest.isEmpty { break }
            }
            // As in aria2, the result that a client removes does not decide the exit code.
            let purge = #"{"id":1,"method":"aria2.purgeDownloadResult"}"#
            #expect(await run.rpc.response(Array(purge.utf8)).status == 200)
            run.rpc.configuration.shutdown?(true)
            #expect(await code == .unfinished)
            #expect(run.results.withLock { $0.rows.map(\.code) } == [.unfinished])
            #expect(try await manager.snapshots(.state(.running, .waiting), limit: 10).isEmpty)
            let text = folder.bytes("session").map { String(decoding: $0, as: UTF8.self) } ?? ""
            #expect(text.hasPrefix(server.url("/a") + "\n") && !text.contains("pause"), "\(text)")
            await manager.close()
        }
    }
}
