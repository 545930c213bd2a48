import Haul
import HaulCore
import HaulStore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal

/// Recording the steps of several downloads in one transaction.
@Suite("Grouping", .usesSockets)
struct GroupingTests {
    private static let small = Resource.file(seed: 75, size: 10_000)
    private static let stalls = Resource.file(seed: 76, size: 400_000).script { _ in .stall(after: 200_000) }

    @Test("what twenty downloads report at the same time is recorded in one transaction, and delivered in order")
    func reported() async throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<20).map { ("/\($0)", Self.stalls) })
        try await ManagerTrial.run(files, { $0.settings.limit = 20 }) { harness in
            let manager = try harness.manager
            let local = try #require(manager.local)
            let all = try await harness.add((0..<20).map { harness.spec("/\($0)") })
            for download in all { try await download.until(bytes: 200_000) }
            let last = manager.lastEventNumber
            let gate = HoldPoint()
            let holding = Task { await local.hold(at: gate) }
            await gate.reached()
            let before = local.catalogue.transactions
            for download in all { manager.inject(.notice(.partialQuarantined(reason: "x")), of: download.id) }
            gate.open()
            await holding.value
            var reported: [DownloadID] = []
            for try await event in manager.events(since: last) where event.kind.isNumbered {
                reported.append(event.download)
                if reported.count == 20 { break }
            }
            #expect(reported == all.map(\.id))
            // The first message may have been taken before the manager was held.
            #expect((1...2).contains(local.catalogue.transactions - before))
        }
    }

    @Test("many small files: every one is complete, and each has its events once, with fewer transactions than files")
    func many() async throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<200).map { ("/\($0)", Self.small) })
        try await ManagerTrial.run(files, { $0.settings.limit = 16 }) { harness in
            let manager = try harness.manager
            let before = try #require(manager.local).catalogue.transactions
            let all = try await harness.add((0..<200).map { harness.spec("/\($0)") })
            await manager.idle()
            for (index, download) in all.enumerated() {
                #expect(await download.emitted.map(\.word) == ["added", "started", "finished"])
                #expect(harness.bytes("\(index)") == Self.small.allBytes)
            }
            #expect(harness.names.count == 200)
            // Start, name and end of each one alone would be 600.
            #expect(try #require(manager.local).catalogue.transactions - before < 400)
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("ends that could not be recorded together are recorded when the list can be written again")
    func refused() async throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<20).map { ("/\($0)", Self.small) })
        try await ManagerTrial.run(
            files,
            {
                $0.settings.limit = 20
                $0.recordInterval = .milliseconds(10)
            }
        ) { harness in
            let manager = try harness.manager
            let gate = HoldPoint()
            let local = try #require(manager.local)
            let all = try await harness.add((0..<20).map { harness.spec("/\($0)") })
            let holding = Task { await local.hold(at: gate) }
            await gate.reached()
            manager.refuseRecords(true)
            gate.open()
            await holding.value
            for _ in 0..<100 { await Task.yield() }
            manager.refuseRecords(false)
            for download in all { _ = try await download.finished() }
            #expect(harness.names.count == 20)
            expectOneEndPerRun(await manager.allEvents())
        }
    }
}

extension LocalManager {
    /// Holds the manager's thread at a gate.
    fileprivate func hold(at gate: HoldPoint) { gate.reach() }
}
