import Foundation
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulTestTraits
import HaulTesting
import HaulWire
import Testing

@Suite("Retention", .usesSockets)
struct RetentionTests {
    private static let file = Resource.file(seed: 3, size: 100)

    @Test("the first downloads that have ended are removed, their files stay, and no other download is touched")
    func history() async throws {
        try await ServedTrial.run(["/f": Self.file]) { trial in
            var ids: [DownloadID] = []
            for index in 0..<6 {
                var request = trial.request(index == 1 ? "/missing" : "/f", "f\(index)")
                (request.retries, request.startsPaused) = (0, index == 0)
                let id = try await trial.client.add(request).id
                ids.append(id)
                if index > 0 { try await trial.until(id, index == 1 ? .failed : .finished) }
            }
            let retention = Retention(trial.manager)
            #expect(try await retention.prune(keeping: 5) == 0)
            #expect(try await retention.prune(keeping: 2) == 3)
            #expect(try await trial.client.list().downloads.map(\.id) == [ids[0], ids[4], ids[5]])
            #expect(FileManager.default.fileExists(atPath: trial.root + "/f2"))
            #expect(try await retention.prune(keeping: 0) == 2)
            #expect(try await trial.client.list().downloads.map(\.state) == [.paused])
        }
    }

    @Test("beyond one portion, all of the surplus is removed")
    func portions() async throws {
        try await ServedTrial.run([:], { $0.settings.limit = 0 }) { trial in
            let requests = (0..<2500).map { DownloadRequest(url: "http://h.example/\($0)") }
            _ = try await trial.client.add(requests)
            _ = try await trial.manager.cancel(.all)
            #expect(try await Retention(trial.manager).prune(keeping: 100) == 2400)
            #expect(try await trial.manager.count() == 100)
            try await trial.manager.tidyList()
            let size = try #require(await trial.manager.figures?.list)
            #expect(size.freeBytes == 0)
        }
    }

    @Test("a failed download that others wait for stays, as without it they would start")
    func awaited() async throws {
        try await ServedTrial.run(["/f": Self.file]) { trial in
            var request = trial.request("/missing", "missing")
            request.retries = 0
            let failed = try await trial.client.add(request).id
            try await trial.until(failed, .failed)
            var next = trial.request("/f", "next")
            next.after = [failed]
            let waiting = try await trial.client.add(next).id
            let other = try await trial.client.add(trial.request("/f", "other")).id
            try await trial.until(other, .finished)
            #expect(try await Retention(trial.manager).prune(keeping: 1) == 1)
            #expect(try await trial.client.list().downloads.map(\.id) == [failed, waiting])
            #expect(try await Retention(trial.manager).prune(keeping: 0) == 0)
            #expect(try await trial.client.list().downloads.map(\.state) == [.failed, .waiting])
        }
    }

    @Test("its settings are read, and change by SIGHUP alone")
    func settings() throws {
        let reader = ConfigurationReader(
            flags: [.keepHistory: ["10"]], environment: ["HOME": "/h", "HAUL_KEEP_EVENTS": "500"],
            file: ConfigurationFile())
        let found = try reader.configuration()
        #expect(found.keepsHistory == 10 && found.settings.eventsKept == 500)
        let standard = try ConfigurationReader(flags: [:], environment: ["HOME": "/h"], file: ConfigurationFile())
            .configuration()
        #expect(standard.keepsHistory == 1_000_000 && standard.settings.eventsKept == 1_000_000)
        #expect(standard.needsRestart(for: found).isEmpty)
        for bad in ["-1", "x", ""] {
            let reader = ConfigurationReader(
                flags: [.keepEvents: [bad]], environment: ["HOME": "/h"], file: ConfigurationFile())
            #expect(throws: DownloadError.self) { try reader.configuration() }
        }
    }
}
