import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Summaries, and several managers", .usesSockets, .timeLimit(.minutes(10)))
struct GroupTests {
    static let file = Resource.file(seed: 74, size: 300_000)
    static let stalls = file.script { _ in .stall(after: 100_000) }

    @Test("a summary counts what stands where, whatever happened before (U25)")
    func counts() async throws {
        let files = ["/0": Self.file, "/1": Self.stalls, "/2": Self.stalls, "/3": Self.stalls, "/4": Self.stalls]
        try await ManagerTrial.run(files, { $0.settings.limit = 2 }) { harness in
            let manager = try harness.manager
            let all = try await harness.add((0..<6).map { harness.spec("/\($0)") })
            _ = try await all[0].finished()
            try await all[1].until(bytes: 100_000)
            try await all[2].until(bytes: 100_000)
            #expect(try await manager.summary().counts == [.finished: 1, .running: 2, .waiting: 3])
            #expect(try await manager.summary().connections == 2)
            try await all[1].pause()
            try await all[3].until(bytes: 100_000)
            try await all[2].cancel()
            try await all[4].until(bytes: 100_000)
            try await all[3].remove()
            #expect(await all[5].failure() == .notFound)
            let counts: [DownloadState.Kind: Int] = [.finished: 1, .running: 1, .paused: 1, .cancelled: 1, .failed: 1]
            #expect(try await manager.summary().counts == counts)
            await harness.close()
            let again = try await harness.launch { $0.resumesAtLaunch = false }
            let rest: [DownloadState.Kind: Int] = [.finished: 1, .paused: 2, .cancelled: 1, .failed: 1]
            #expect(try await again.summary().counts == rest)
        }
    }

    @Test("the signal of activity comes and goes, as a stream (U25)")
    func signal() async throws {
        try await ManagerTrial.run(["/0": Self.stalls]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/0"))
            var wasActive = false
            var seen: [Bool] = []
            for await summary in manager.summaries {
                if seen.last != summary.isActive { seen.append(summary.isActive) }
                if summary.isActive, !wasActive {
                    wasActive = true
                    try await download.pause()
                }
                if wasActive, !summary.isActive { break }
            }
            #expect(seen == [false, true, false])
        }
    }

    @Test("two managers know nothing of each other; together they are summed up (U26)")
    func group() async throws {
        try await ManagerTrial.run(["/0": Self.stalls, "/1": Self.file]) { harness in
            let first = try harness.manager
            var configuration = ManagerConfiguration(storage: .inMemory)
            configuration.name = "second"
            configuration.settings.limit = 1
            let second = try await DownloadManager(configuration)
            #expect(first.capabilities.contains(.persistent))
            #expect(!second.capabilities.contains(.persistent))
            let group = ManagerGroup([first, second])
            let one = try await first.add(harness.spec("/0"))
            let two = try await second.add(harness.spec("/0", "other"))
            let three = try await second.add(harness.spec("/1"))
            try await one.until(bytes: 100_000)
            try await two.until(bytes: 100_000)
            #expect(one != two)
            #expect(try await first.count() == 1)
            #expect(try await first.download(key: "x") == nil)
            #expect(try await three.state == .waiting(.turn(limit: 1)))
            #expect(try await group.summary().counts == [.running: 2, .waiting: 1])
            #expect(try await group.snapshots().map(\.manager.name) == ["default", "second", "second"])
            #expect(try await group.snapshots(limit: 2).count == 2)
            #expect(try await group.pause(.state(.running)) == 2)
            for await summary in group.summaries where summary[.finished] == 1 { break }
            #expect(try await group.summary().counts == [.paused: 2, .finished: 1])
            let ending = Task { for await _ in group.summaries {} }
            await group.close()
            await ending.value
        }
    }
}
