import Haul
import HaulCore
import HaulTesting
import Testing

@Suite("While the list can't be written", .usesSockets)
struct CatalogueFailureTests {
    static let file = Resource.file(seed: 41, size: 200_000)

    @Test("verbs say so and change nothing")
    func verbs() async throws {
        try await ManagerTrial.run(["/f": Self.file.script(.silence())]) { mine in
            let manager = try mine.manager
            let download = try await manager.add(mine.spec("/f"))
            manager.refuseRecords(true)
            let before = manager.lastEventNumber
            for verb in [
                { try await download.pause() }, { try await download.remove() }, { try await download.move(to: 0) },
            ]
                as [@Sendable () async throws -> Void]
            {
                let error = await #expect(throws: DownloadError.self) { try await verb() }
                #expect(error?.code == .catalogueFailed)
            }
            #expect(manager.lastEventNumber == before)
            manager.refuseRecords(false)
            try await download.pause()
            #expect(try await download.state == .paused(.asked))
            #expect(await manager.allEvents().map(\.number) == Array(1...manager.lastEventNumber))
        }
    }

    @Test("a run that ends meanwhile is told once it can be recorded, once; those that wait for its turn start")
    func end() async throws {
        try await ManagerTrial.run(
            ["/a": Self.file.script(.normal.throttle(400_000)), "/b": Self.file],
            {
                $0.settings.limit = 1
                $0.recordInterval = .milliseconds(10)
            }
        ) { mine in
            let manager = try mine.manager
            let first = try await manager.add(mine.spec("/a"))
            let second = try await manager.add(mine.spec("/b"))
            _ = try await manager.first { event in
                if case .started = event.kind { true } else { false }
            }
            manager.refuseRecords(true)
            let told = manager.lastEventNumber
            // The file stands under its name; its record does not know yet.
            while mine.bytes("a") == nil { await Task.yield() }
            #expect(manager.lastEventNumber == told)
            manager.refuseRecords(false)
            _ = try await first.finished()
            _ = try await second.finished()
            await manager.idle()
            let events = await manager.allEvents()
            #expect(events.map(\.number) == Array(1...Int64(events.count)))
            #expect(events.count { $0.download == first.id && $0.kind.endsRun } == 1)
            #expect(mine.bytes("a") == Self.file.allBytes && mine.bytes("b") == Self.file.allBytes)
        }
    }
}
