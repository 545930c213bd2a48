import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal
@testable import HaulObservation

@MainActor
@Suite("A list for a user interface", .usesSockets, .timeLimit(.minutes(5)))
struct DownloadListTests {
    private static let file = Resource.file(seed: 71, size: 300_000)
    private static let stalls = file.script { _ in .stall(after: 200_000) }

    /// Runs `body` with a list that is kept up to date.
    private func run(
        _ files: [String: Resource] = [:], limit: Int = 0, _ list: (DownloadManager) -> DownloadList,
        _ body: (ManagerTrial, DownloadList) async throws -> Void
    ) async throws {
        try await ManagerTrial.run(files, { $0.settings.limit = limit }) { trial in
            let list = list(try trial.manager)
            let running = Task { try await list.run(refreshInterval: .milliseconds(1)) }
            try await body(trial, list)
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }
    }

    private func names(_ list: DownloadList) -> [String] {
        list.downloads.map { String($0.snapshot.spec.url.split(separator: "/").last ?? "") }
    }

    @Test("shows what is in the list, and follows what is added, changed, moved and removed")
    func follows() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file, "/c": Self.file], { $0.settings.limit = 0 }) {
            trial in
            let manager = try trial.manager
            _ = try await trial.add([trial.spec("/a"), trial.spec("/b")])
            let list = DownloadList(manager)
            #expect(list.downloads.isEmpty && !list.isLoaded)
            let running = Task { try await list.run(refreshInterval: .milliseconds(1)) }
            await until { list.isLoaded }
            #expect(names(list) == ["a", "b"])
            #expect(list.summary[.waiting] == 2)
            let a = try #require(list.downloads.first)
            let c = try await manager.add(trial.spec("/c"))
            await until { list.downloads.count == 3 }
            #expect(names(list) == ["a", "b", "c"])
            try await c.move(to: 0)
            await until { names(list) == ["c", "a", "b"] }
            #expect(list.downloads[1] === a && list[a.id] === a)
            var settings = ManagerSettings()
            settings.limit = 3
            try await manager.update(settings)
            await until { list.downloads.allSatisfy { if case .finished = $0.state { true } else { false } } }
            #expect(a.fraction == 1 && a.path == trial.path("a") && a.title == "a")
            await until { list.summary[.finished] == 3 }
            try await manager.remove(c.id)
            await until { names(list) == ["a", "b"] }
            #expect(list[c.id] == nil && !a.isRemoved)
            #expect(list.ids == list.downloads.map(\.id))
            await manager.close()
            try await running.value
            #expect(names(list) == ["a", "b"])
        }
    }

    @Test("has rows that tell their own progress, without a change of the list")
    func rows() async throws {
        try await run(["/a": Self.stalls, "/b": Self.file], limit: 1) {
            DownloadList($0)
        } _: { trial, list in
            // However busy the machine is, the silence is not the end of its attempt.
            _ = try await trial.add([trial.spec("/a") { $0.idleTimeout = .seconds(600) }, trial.spec("/b")])
            await until { list.downloads.map(\.state) == [.running, .waiting(.turn(limit: 1))] }
            let row = list.downloads[0]
            let second = ChangeCounter { _ = list.downloads[1].snapshot }
            let whole = ChangeCounter { _ = list.downloads }
            await until { row.progress.fileBytes == 200_000 }
            #expect(second.count == 0 && whole.count == 0)
        }
    }

    @Test("shows what passes its filter now, and another one when it is changed")
    func filter() async throws {
        try await run {
            DownloadList($0, filter: .state(.paused))
        } _: { trial, list in
            let all = try await trial.add((0..<4).map { trial.spec("/\($0)") })
            await until { list.isLoaded }
            for number in [2, 0] { try await all[number].pause() }
            await until { names(list) == ["0", "2"] }
            try await all[0].resume()
            await until { names(list) == ["2"] }
            list.filter = .url(trial.server.url("/3"))
            await until { names(list) == ["3"] }
            list.filter = .all
            await until { names(list) == ["0", "1", "2", "3"] }
        }
    }

    @Test("shows a download as running again after it has waited for its next attempt")
    func retried() async throws {
        try await run(["/a": Self.stalls], limit: 1) {
            DownloadList($0)
        } _: { trial, list in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/a") { $0.idleTimeout = .seconds(600) })
            try await download.until(bytes: 200_000)
            await until { list.downloads.map(\.state) == [.running] }
            let reason = WaitReason.retrying(DownloadError(.connectionFailed, "the connection was cut"), attempt: 1)
            manager.inject(.waiting(reason, seconds: 5), of: download.id)
            await until { list.downloads.map(\.state) == [.waiting(reason)] }
            let progress = TransferProgress(
                fileBytes: 250_000, sessionBytes: 250_000, totalBytes: 300_000, connections: 1)
            manager.inject(.progress(progress), of: download.id)
            await until { list.downloads.map(\.state) == [.running] }
        }
    }

    @Test("has the order that is asked for")
    func order() async throws {
        try await run {
            DownloadList($0, order: .reversed)
        } _: { trial, list in
            let all = try await trial.add((0..<3).map { trial.spec("/\($0)") })
            await until { names(list) == ["2", "1", "0"] }
            _ = try await trial.add([trial.spec("/3")])
            await until { names(list) == ["3", "2", "1", "0"] }
            list.order = .sorted { $0.spec.priority > $1.spec.priority }
            try await all[1].set(priority: 5)
            await until { names(list).first == "1" }
            try await all[0].set(priority: 9)
            await until { Array(names(list).prefix(2)) == ["0", "1"] }
            list.order = .list
            await until { names(list) == ["0", "1", "2", "3"] }
        }
    }

    @Test("shows no more than its limit, and the next one for each that goes", arguments: [false, true])
    func limit(isReversed: Bool) async throws {
        try await run {
            DownloadList($0, order: isReversed ? .reversed : .list, limit: 3)
        } _: { trial, list in
            let all = try await trial.add((0..<1_300).map { trial.spec("/\($0)") })
            await until { names(list) == (isReversed ? ["1299", "1298", "1297"] : ["0", "1", "2"]) }
            try await all[isReversed ? 1298 : 1].remove()
            await until { names(list) == (isReversed ? ["1299", "1297", "1296"] : ["0", "2", "3"]) }
            _ = try await trial.add([trial.spec("/new")])
            if isReversed {
                await until { names(list) == ["new", "1299", "1297"] }
            }
            list.limit = nil
            await until { list.downloads.count == 1_300 }
            _ = try await trial.manager.remove(.all)
            await until { list.downloads.isEmpty }
        }
    }

    @Test("has the last states even if the manager is closed before they can be read")
    func closed() async throws {
        let clock = ManualClock()
        try await ManagerTrial.run(["/a": Self.file], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/a"))
            let list = DownloadList(manager)
            let running = Task { try await list.run(refreshInterval: .seconds(1), clock: clock) }
            await until { list.isLoaded }
            await clock.sleepers(atLeast: 1)
            var settings = ManagerSettings()
            settings.limit = 1
            try await manager.update(settings)
            let facts = try await download.finished()
            await manager.close()
            clock.advance(by: .seconds(1))
            try await running.value
            let row = try #require(list.downloads.first)
            #expect(row.state == .finished(facts) && row.path == trial.path("a") && row.fraction == 1)
        }
    }

    @Test("is brought up to date when it runs again")
    func again() async throws {
        try await ManagerTrial.run([:], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let list = DownloadList(manager)
            for number in 1...3 {
                _ = try await trial.add([trial.spec("/\(number)")])
                let running = Task { try await list.run() }
                await until { list.downloads.count == number }
                _ = try await trial.manager.pause(.all)
                await until { list.downloads.allSatisfy { $0.state == .paused(.asked) } }
                running.cancel()
                await #expect(throws: CancellationError.self) { try await running.value }
            }
        }
    }

    @Test("changes at most once per interval, however many events there are")
    func refresh() async throws {
        let clock = ManualClock()
        try await ManagerTrial.run([:], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/a"))
            let list = DownloadList(manager)
            let running = Task { try await list.run(refreshInterval: .seconds(1), clock: clock) }
            await until { list.isLoaded }
            let row = try #require(list.downloads.first)
            let counter = ChangeCounter { _ = row.snapshot }
            for round in 1...3 {
                await clock.sleepers(atLeast: 1)
                let last = round * 10
                for priority in last - 9...last { try await download.set(priority: priority) }
                #expect(row.snapshot.spec.priority == last - 10)
                clock.advance(by: .seconds(1))
                await clock.sleepers(atLeast: 1)
                #expect(row.snapshot.spec.priority == last && counter.count == round)
            }
            running.cancel()
            await #expect(throws: CancellationError.self) { try await running.value }
        }
    }
}

@MainActor
@Suite("Rows whose state and progress change together", .usesSockets, .timeLimit(.minutes(5)))
struct RowConsistencyTests {
    private static let stalls = Resource.file(seed: 73, size: 300_000).script { _ in .stall(after: 200_000) }

    /// Runs `body` with a download that was read while it waited, has started since, and has received 200,000 bytes; and
    /// with the events of that.
    private func run(
        _ body: (ManagerTrial, Download, DownloadSnapshot, EventBatch) async throws -> Void
    ) async throws {
        try await ManagerTrial.run(["/a": Self.stalls], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/a") { $0.idleTimeout = .seconds(600) })
            let before = try await download.snapshot
            let known = manager.lastEventNumber
            var settings = ManagerSettings()
            settings.limit = 1
            try await manager.update(settings)
            try await download.until(bytes: 200_000)
            var batch = EventBatch()
            for try await event in manager.events(since: known) {
                batch.add(event)
                if event.number == manager.lastEventNumber { break }
            }
            let progress = try await download.snapshot.progress
            let newest = DownloadEvent.Kind.progress(progress)
            batch.add(
                DownloadEvent(
                    number: manager.lastEventNumber, download: download.id, time: before.changed, kind: newest))
            #expect(batch.changed == [download.id])
            try await body(trial, download, before, batch)
        }
    }

    @Test("one change of a row shows both, in a list")
    func list() async throws {
        try await run { trial, download, before, batch in
            let list = DownloadList(try trial.manager)
            try await list.apply(EventBatch())
            let row = try #require(list[download.id])
            row.update(before)
            #expect(row.state.kind == .waiting && row.progress.fileBytes == 0)
            let counter = ChangeCounter { _ = row.snapshot }
            try await list.apply(batch)
            #expect(counter.count == 1 && row.state == .running && row.progress.fileBytes == 200_000)
            #expect(row.title == "a")
        }
    }

    @Test("one change of a row shows both, alone")
    func alone() async throws {
        try await run { _, download, before, batch in
            let row = ObservableDownload(download, before)
            let counter = ChangeCounter { _ = row.snapshot }
            try await row.apply(batch)
            #expect(counter.count == 1 && row.state == .running && row.progress.fileBytes == 200_000)
        }
    }

    @Test("a full list marks a removed row, and shows the next one")
    func removed() async throws {
        try await ManagerTrial.run([:], { $0.settings.limit = 0 }) { trial in
            let all = try await trial.add((0..<3).map { trial.spec("/\($0)") })
            let list = DownloadList(try trial.manager, limit: 2)
            try await list.apply(EventBatch())
            let row = try #require(list[all[0].id])
            try await all[0].remove()
            var batch = EventBatch()
            batch.removed = [all[0].id]
            try await list.apply(batch)
            #expect(row.isRemoved && list.ids == [all[1].id, all[2].id])
        }
    }
}

@MainActor
@Suite("Events that come after the list was read", .usesSockets, .timeLimit(.minutes(5)))
struct LateEventTests {
    @Test("a full list shows the same downloads when it hears that they were added", arguments: [false, true])
    func added(isReversed: Bool) async throws {
        try await ManagerTrial.run([:], { $0.settings.limit = 0 }) { trial in
            let all = try await trial.add((0..<4).map { trial.spec("/\($0)") })
            let list = DownloadList(try trial.manager, order: isReversed ? .reversed : .list, limit: 2)
            try await list.apply(EventBatch())
            let shown = isReversed ? [all[3].id, all[2].id] : [all[0].id, all[1].id]
            #expect(list.ids == shown)
            for download in all {
                var batch = EventBatch()
                (batch.added, batch.changed) = ([download.id], [download.id])
                try await list.apply(batch)
                #expect(list.ids == shown)
            }
        }
    }
}

@MainActor
@Suite("A download for a user interface", .usesSockets, .timeLimit(.minutes(5)))
struct ObservableDownloadTests {
    private static let file = Resource.file(seed: 72, size: 300_000)

    @Test("follows the download until it is removed")
    func follows() async throws {
        let expires = Self.file.script { $0.number == 1 ? .stall(after: 200_000) : .normal }
        try await ManagerTrial.run(["/a": expires]) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/a"))
            let model = try await ObservableDownload(download)
            let running = Task { try await model.run(refreshInterval: .milliseconds(1)) }
            await until { model.progress.fileBytes == 200_000 }
            #expect(model.state == .running && model.fraction.map { $0 > 0.6 && $0 < 0.7 } == true)
            try await download.pause()
            await until { model.state == .paused(.asked) }
            try await download.resume()
            await until { model.state.isFinal }
            #expect(model.fraction == 1 && model.title == "a" && model.path == trial.path("a"))
            #expect(!model.isRemoved)
            try await download.remove()
            await until { model.isRemoved }
            try await running.value
            #expect(model.path == trial.path("a"))
        }
    }

    @Test("ends when the manager is closed, and throws if its task is cancelled")
    func ends() async throws {
        try await ManagerTrial.run(["/a": Self.file], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/a"))
            let model = try await ObservableDownload(download)
            let cancelled = Task { try await model.run() }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            async let running: Void = model.run()
            await manager.close()
            try await running
            #expect(!model.isRemoved && model.title == model.snapshot.spec.url)
        }
    }

    @Test("is not created for what does not exist")
    func missing() async throws {
        try await ManagerTrial.run([:]) { trial in
            let download = try await trial.manager.add(trial.spec("/a"))
            try await download.remove()
            let error = await #expect(throws: DownloadError.self) { _ = try await ObservableDownload(download) }
            #expect(error?.code == .noSuchDownload)
        }
    }
}
