import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("A manager", .usesSockets)
struct ManagerBasicsTests {
    static let small = Resource.file(seed: 1, size: 100_000)
    static let large = Resource.file(seed: 2, size: 3_000_000)

    @Test("downloads what is added, and tells it once and in order")
    func one() async throws {
        try await ManagerTrial.run(["/f": Self.large]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f", connections: 4))
            let facts = try await download.finished()
            #expect(facts.totalBytes == 3_000_000)
            #expect(harness.bytes("f") == Self.large.allBytes)
            #expect(harness.names == ["f"])
            let events = await manager.allEvents()
            #expect(events.map(\.number) == Array(1...Int64(events.count)))
            let kinds = events.map { event in
                switch event.kind {
                case .added: "added"
                case .started: "started"
                case .finished: "finished"
                default: "other"
                }
            }
            #expect(kinds == ["added", "started", "finished"])
        }
    }

    @Test("never runs more at once than allowed, in order, and goes on until all are done", arguments: [1, 2, 3])
    func limit(limit: Int) async throws {
        let paths = (0..<8).map { "/\($0)" }
        let files = Dictionary(uniqueKeysWithValues: paths.map { ($0, Self.small) })
        try await ManagerTrial.run(files, { $0.settings.limit = limit }) { harness in
            let manager = try harness.manager
            let results = try await manager.add(contentsOf: paths.map { harness.spec($0) })
            for result in results { _ = try await result.get().finished() }
            await manager.idle()
            var running = 0
            var started: [DownloadID] = []
            for event in await manager.allEvents() {
                if case .started = event.kind {
                    running += 1
                    started.append(event.download)
                }
                if event.kind.endsRun { running -= 1 }
                #expect(running <= limit)
            }
            if limit == 1 { #expect(started == started.sorted()) }
            #expect(started.count == 8)
        }
    }

    @Test("pause keeps everything, resume goes on from there; neither is a failure")
    func pauseResume() async throws {
        try await ManagerTrial.run(["/f": Self.large], throttle: 1_000_000) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f", connections: 2))
            for try await event in download.events {
                if case .progress(let progress) = event.kind, progress.fileBytes > 500_000 { break }
            }
            try await download.pause()
            #expect(try await download.state == .paused(.asked))
            #expect(harness.names == ["f.part", "f.part.haul"])
            let there = try await download.snapshot.progress.fileBytes
            #expect(there > 500_000)
            harness.server.throttle(nil)
            try await download.resume()
            let facts = try await download.finished()
            #expect(facts.sessionBytes <= 3_000_000 - there)
            #expect(harness.bytes("f") == Self.large.allBytes)
        }
    }

    @Test("the list survives a clean end and a kill, and goes on by itself", arguments: [true, false])
    func relaunch(isKilled: Bool) async throws {
        let paths = (0..<5).map { "/\($0)" }
        let files = Dictionary(uniqueKeysWithValues: paths.map { ($0, Self.large) })
        try await ManagerTrial.run(files, throttle: 2_000_000) { harness in
            let ids = try await harness.manager.add(contentsOf: paths.map { harness.spec($0) }).map { try $0.get().id }
            _ = try await harness.manager.first { event in
                if case .started = event.kind { true } else { false }
            }
            if isKilled { await harness.kill() } else { await harness.close() }
            harness.server.throttle(nil)
            let manager = try await harness.launch()
            #expect(try await manager.snapshots().map(\.id) == ids)
            await manager.idle()
            for (index, path) in paths.enumerated() {
                let state = try await manager.snapshot(ids[index]).state
                #expect(state.kind == .finished, "\(state)")
                #expect(harness.bytes(String(path.dropFirst())) == Self.large.allBytes)
            }
        }
    }
}
