import Haul
import HaulCore
import HaulManager
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Downloads that start after others", .usesSockets, .timeLimit(.minutes(5)))
struct DependencyTests {
    private static let file = Resource.file(seed: 81, size: 300_000)
    private static let stalls = file.script { _ in .stall(after: 100_000) }

    @Test("wait with a reason, and start when the others have finished, whatever their order in the list")
    func order() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file, "/c": Self.file], { $0.settings.limit = 0 }) {
            trial in
            let manager = try trial.manager
            let all = try await trial.add([trial.spec("/a"), trial.spec("/b")])
            var spec = trial.spec("/c")
            (spec.after, spec.priority, spec.startsAtOnce) = (Set(all.map(\.id)), 9, true)
            let last = try await manager.add(spec)
            #expect(try await last.state == .waiting(.dependency(all[0].id)))
            #expect(try await last.snapshot.spec.after == spec.after)
            var settings = ManagerSettings()
            settings.limit = 1
            try await manager.update(settings)
            _ = try await last.finished()
            let started = await manager.allEvents().filter { $0.kind.word == "started" }.map(\.download)
            #expect(started == [all[0].id, all[1].id, last.id])
        }
    }

    @Test("wait for one that fails until it has finished after all; the manager is idle meanwhile")
    func failed() async throws {
        try await ManagerTrial.run(["/b": Self.file]) { trial in
            let manager = try trial.manager
            let first = try await manager.add(trial.spec("/a"))
            var spec = trial.spec("/b")
            spec.after = [first.id]
            let second = try await manager.add(spec)
            #expect(await first.failure() == .notFound)
            await manager.idle()
            #expect(try await second.state == .waiting(.dependency(first.id)))
            trial.server.set("/a", Self.file)
            try await first.retry()
            _ = try await second.finished()
            #expect(trial.names == ["a", "b"])
        }
    }

    @Test("do not wait for one that is removed")
    func removed() async throws {
        try await ManagerTrial.run(["/a": Self.stalls, "/b": Self.file]) { trial in
            let manager = try trial.manager
            let first = try await manager.add(trial.spec("/a"))
            var spec = trial.spec("/b")
            spec.after = [first.id]
            let second = try await manager.add(spec)
            try await first.until(bytes: 100_000)
            #expect(try await second.state == .waiting(.dependency(first.id)))
            try await first.remove()
            _ = try await second.finished()
        }
    }

    @Test("keep waiting after a pause, after other options, and after a relaunch", arguments: [false, true])
    func relaunch(isKilled: Bool) async throws {
        try await ManagerTrial.run(["/a": Self.stalls, "/b": Self.file]) { trial in
            let first = try await trial.manager.add(trial.spec("/a"))
            var spec = trial.spec("/b")
            spec.after = [first.id]
            let second = try await trial.manager.add(spec)
            try await second.pause()
            try await second.resume()
            try await second.set(priority: 7)
            #expect(try await second.state == .waiting(.dependency(first.id)))
            if isKilled { await trial.kill() } else { await trial.close() }
            trial.server.set("/a", Self.file)
            let manager = try await trial.launch { $0.settings.limit = 0 }
            #expect(try await manager.snapshot(second.id).state == .waiting(.dependency(first.id)))
            var settings = ManagerSettings()
            settings.limit = 5
            try await manager.update(settings)
            _ = try await manager.download(second.id)?.finished()
            #expect(try await manager.snapshot(first.id).state.kind == .finished)
        }
    }

    @Test("report what they wait for instead, when one that they waited for has finished")
    func newReason() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.stalls], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let all = try await trial.add([trial.spec("/a"), trial.spec("/b")])
            let specs = [[all[0].id], all.map(\.id)].enumerated().map { number, others in
                trial.spec("/\(number)") { $0.after = Set(others) }
            }
            let waiting = try await trial.add(specs)
            let known = manager.lastEventNumber
            var settings = ManagerSettings()
            settings.limit = 1
            try await manager.update(settings)
            var told: [DownloadID: WaitReason] = [:]
            for try await event in manager.events(since: known) {
                guard waiting.contains(where: { $0.id == event.download }) else { continue }
                if case .waiting(let reason, _) = event.kind { told[event.download] = reason }
                if told.count == 2 { break }
            }
            #expect(told == [waiting[0].id: .turn(limit: 1), waiting[1].id: .dependency(all[1].id)])
        }
    }

    @Test("are known as awaited, even if those that wait are paused, until either has finished")
    func awaited() async throws {
        try await ManagerTrial.run(["/b": Self.file]) { trial in
            let manager = try trial.manager
            let first = try await manager.add(trial.spec("/a"))
            #expect(await first.failure() == .notFound)
            let second = try await manager.add(trial.spec("/b") { ($0.after, $0.startsPaused) = ([first.id], true) })
            #expect(try await second.state == .paused(.asked))
            #expect(try await manager.awaited == [first.id])
            trial.server.set("/a", Self.file)
            try await first.retry()
            _ = try await first.finished()
            #expect(try await manager.awaited == [])
        }
    }

    @Test("start at once if that is asked for, and wait for nothing afterwards")
    func startNow() async throws {
        try await ManagerTrial.run(["/a": Self.stalls, "/b": Self.file]) { trial in
            let first = try await trial.manager.add(trial.spec("/a"))
            var spec = trial.spec("/b")
            spec.after = [first.id]
            let second = try await trial.manager.add(spec)
            try await second.startNow()
            _ = try await second.finished()
            #expect(try await second.snapshot.spec.after == [])
            #expect(try await first.state == .running)
        }
    }

    @Test("are refused if they name one that does not exist; a finished one is not waited for")
    func missing() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file]) { trial in
            let manager = try trial.manager
            let first = try await manager.add(trial.spec("/a"))
            _ = try await first.finished()
            var specs = [trial.spec("/b"), trial.spec("/c"), trial.spec("/d")]
            specs[0].after = [first.id]
            specs[1].after = [first.id, DownloadID(rawValue: 99)]
            let results = try await manager.add(contentsOf: specs)
            _ = try await results[0].get().finished()
            let error = #expect(throws: DownloadError.self) { try results[1].get() }
            #expect(error?.code == .invalidRequest && error?.message.contains("99") == true)
            #expect(try await results[2].get().snapshot.spec.url == specs[2].url)
            #expect(try await manager.count() == 3)
        }
    }
}
