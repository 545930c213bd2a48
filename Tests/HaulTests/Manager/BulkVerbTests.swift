import Haul
import HaulCore
import HaulFiles
import HaulManager
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulLocal

@Suite("Commands for many downloads", .usesSockets, .timeLimit(.minutes(10)))
struct BulkVerbTests {
    static let file = Resource.file(seed: 63, size: 400_000)
    static let stalls = file.script { _ in .stall(after: 200_000) }

    /// More than two portions.
    private static let many = 1_300

    private func specs(_ trial: ManagerTrial, _ count: Int = many) -> [DownloadSpec] {
        (0..<count).map { trial.spec("/\($0)", "f\($0)") }
    }

    @Test func anErrorAfterAPortionSaysWhatWasDone() {
        let error = DownloadError(.catalogueFailed, "not enough disk space", cause: "SQLite 13").of(status: 500)
        let told = error.afterChanges(of: 500, in: 2_600)
        #expect(told.message == "not enough disk space; before that, 500 of 2600 downloads were changed")
        #expect(told.code == error.code && told.cause == error.cause && told.status == 500)
    }

    @Test(
        "stop running downloads first, and start no others meanwhile",
        arguments: [DownloadVerb.pause, .cancel(keepPartial: true), .cancel(keepPartial: false), .remove(files: .all)])
    func runningFirst(verb: DownloadVerb) async throws {
        let running = ["/1297", "/1298", "/1299"]
        var files = Dictionary(uniqueKeysWithValues: running.map { ($0, Self.stalls) })
        for number in 0..<Self.many - 3 { files["/\(number)"] = Self.file }
        try await ManagerTrial.run(files, { $0.settings.limit = 3 }) { trial in
            let manager = try trial.manager
            var specs = specs(trial)
            for index in (Self.many - 3)..<Self.many { specs[index].priority = 1 }
            let all = try await trial.add(specs)
            for download in all.suffix(3) { try await download.until(bytes: 200_000) }
            let before = manager.lastEventNumber
            #expect(try await manager.backend.perform(verb, on: .all) == Self.many)
            #expect(try await manager.summary()[.running] == 0)
            #expect(try await manager.summary()[.finished] == 0)
            let requested = trial.server.requests("/0").count + trial.server.requests("/1").count
            #expect(requested == 0)
            let events = await manager.allEvents().filter { $0.number > before }
            #expect(events.count == Self.many)
            expectOneEndPerRun(await manager.allEvents())
            let isKept = verb == .pause || verb == .cancel(keepPartial: true)
            #expect(trial.names.count { $0.hasSuffix(".part") } == (isKept ? 3 : 0))
        }
    }

    @Test("a download that finishes before it can be cancelled is not counted")
    func finishedMeanwhile() async throws {
        let gate = HoldPoint()
        let hook: SystemCalls.Hook = { call in
            switch call {
            case .renameNoReplace(_, let path) where path.hasSuffix("/f0"): gate.reach()
            default: break
            }
            return .proceed
        }
        try await ManagerTrial.run(["/0": Self.file], hook: hook, { $0.settings.limit = 1 }) { trial in
            let manager = try trial.manager
            _ = try await trial.add(specs(trial, 3))
            await gate.reached()
            async let count = manager.cancel(.all, keepPartial: false)
            // The two that wait are cancelled while the first one is held just before its end.
            for await summary in manager.summaries where summary[.cancelled] == 3 { break }
            gate.open()
            #expect(try await count == 2)
            #expect(try await manager.summary().counts == [.finished: 1, .cancelled: 2])
        }
    }

    @Test("let other calls have their turn between portions")
    func turns() async throws {
        try await ManagerTrial.run([:], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            _ = try await trial.add(specs(trial, 5_000))
            let isDone = Atomic(false)
            async let counts = {
                var counts: Set<Int> = []
                while !isDone.load(ordering: .acquiring) { counts.insert(try await manager.summary().all) }
                return counts
            }()
            #expect(try await manager.remove(.all) == 5_000)
            isDone.store(true, ordering: .releasing)
            // Each is the state between two portions; a single transaction would show none.
            #expect(try await counts.subtracting([0, 5_000]).count >= 3)
            #expect(await manager.allEvents().map(\.number) == Array(1...10_000))
        }
    }

    @Test(
        "do not look at the disk for downloads that never ran",
        arguments: [DownloadVerb.cancel(keepPartial: false), .remove(files: .all), .remove(files: .partial)])
    func neverRun(verb: DownloadVerb) async throws {
        let calls = Atomic(0)
        let hook: SystemCalls.Hook = { call in
            if call.path.contains("/f") { calls.add(1, ordering: .relaxed) }
            return .proceed
        }
        try await ManagerTrial.run([:], hook: hook, { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            _ = try await trial.add(specs(trial))
            _ = try await manager.pause(.all)
            #expect(try await manager.backend.perform(verb, on: .all) == Self.many)
            #expect(calls.load(ordering: .relaxed) == 0)
        }
    }

    @Test("remove the partial files of downloads that ran in an earlier process, and only theirs")
    func ranBefore() async throws {
        let files = Dictionary(uniqueKeysWithValues: (0..<4).map { ("/\($0)", Self.stalls) })
        try await ManagerTrial.run(files, { $0.settings.limit = 4 }) { trial in
            let all = try await trial.add(specs(trial))
            for download in all.prefix(4) { try await download.until(bytes: 200_000) }
            await trial.kill()
            try trial.folder.put([1], "f700.part")
            let manager = try await trial.launch { $0.settings.limit = 0 }
            #expect(try await manager.cancel(.all, keepPartial: false) == Self.many)
            #expect(trial.names == ["f700.part"])
            #expect(try await manager.retry(.all) == Self.many)
            #expect(try await manager.remove(.all, files: .all) == Self.many)
            #expect(trial.names == ["f700.part"])
            #expect(try await manager.summary().all == 0)
        }
    }

    @Test("a removal that waits for a disk does not keep other downloads from starting, or commands from their effect")
    func blockedRemoval() async throws {
        let gate = HoldPoint()
        let hook: SystemCalls.Hook = { call in
            if case .unlink(let path) = call, path.hasSuffix("/f0.part") { gate.reach() }
            return .proceed
        }
        let files = ["/0": Self.stalls, "/1": Self.stalls, "/2": Self.file]
        try await ManagerTrial.run(files, hook: hook, { $0.settings.limit = 1 }) { trial in
            let manager = try trial.manager
            let specs = specs(trial, 3)
            let first = try await manager.add(specs[0])
            try await first.until(bytes: 200_000)
            try await first.pause()
            async let removed = manager.remove(.state(.paused))
            await gate.reached()
            let second = try await manager.add(specs[1])
            try await second.until(bytes: 200_000)
            #expect(try await manager.pause(.all) == 1)
            #expect(try await second.state == .paused(.asked))
            trial.server.set("/1", Self.file)
            // The one that is being removed is not waited for.
            #expect(try await manager.resume(.all) == 1)
            _ = try await second.finished()
            _ = try await manager.add(specs[2]).finished()
            gate.open()
            #expect(try await removed == 1)
            #expect(try await manager.count() == 2)
        }
    }

    @Test("skip downloads that left the filter's states before their portion came")
    func changedMeanwhile() async throws {
        try await ManagerTrial.run([:], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let all = try await trial.add(specs(trial, 3_000))
            async let paused = manager.pause(.state(.waiting))
            async let removed = manager.remove(.state(.waiting))
            let counts = try await (paused, removed)
            #expect(counts.0 + counts.1 == 3_000)
            #expect(try await manager.summary().counts == (counts.0 > 0 ? [.paused: counts.0] : [:]))
            #expect(try await manager.count() == all.count - counts.1)
        }
    }
}

extension DownloadSummary {
    /// The number of downloads in any state.
    fileprivate var all: Int { counts.values.reduce(0, +) }
}
