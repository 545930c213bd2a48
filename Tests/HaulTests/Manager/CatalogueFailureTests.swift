import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Logging
import Synchronization
import Testing

@Suite("While the list can't be written", .usesSockets, .timeLimit(.minutes(10)))
struct CatalogueFailureTests {
    static let file = Resource.file(seed: 41, size: 200_000)

    @Test("verbs say so and change nothing")
    func verbs() async throws {
        try await ManagerTrial.run(["/f": Self.file.script(.silence())]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f"))
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

    @Test("a removal that can't be recorded removes no file")
    func removal() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f"))
            _ = try await download.finished()
            manager.refuseRecords(true)
            let error = await #expect(throws: DownloadError.self) { try await download.remove(files: .all) }
            #expect(error?.code == .catalogueFailed)
            #expect(harness.bytes("f") == Self.file.allBytes)
            manager.refuseRecords(false)
            try await download.remove(files: .all)
            #expect(harness.bytes("f") == nil)
        }
    }

    @Test("a removal that was killed after it had removed the file is completed at the next launch")
    func interruptedRemoval() async throws {
        let list = Mutex<DownloadManager?>(nil)
        let hook: SystemCalls.Hook = { call in
            if case .unlink(let path) = call, path.hasSuffix("/f") { list.withLock { $0?.refuseRecords(true) } }
            return .proceed
        }
        try await ManagerTrial.run(["/f": Self.file], hook: hook) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            _ = try await download.finished()
            list.withLock { $0 = try? harness.manager }
            let error = await #expect(throws: DownloadError.self) { try await download.remove(files: .all) }
            #expect(error?.code == .catalogueFailed)
            #expect(harness.bytes("f") == nil)
            list.withLock { $0 = nil }
            await harness.kill()

            let manager = try await harness.launch()
            let removed = try await manager.first { if case .removed(.all) = $0.kind { true } else { false } }
            #expect(removed.download == download.id)
            #expect(try await manager.snapshots() == [])
            #expect(try await manager.summary().counts == [:])
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
        ) { harness in
            let manager = try harness.manager
            let first = try await manager.add(harness.spec("/a"))
            let second = try await manager.add(harness.spec("/b"))
            _ = try await manager.first { event in
                if case .started = event.kind { true } else { false }
            }
            manager.refuseRecords(true)
            let emitted = manager.lastEventNumber
            // The file stands under its name; its record does not know yet.
            while harness.bytes("a") == nil { await Task.yield() }
            #expect(manager.lastEventNumber == emitted)
            manager.refuseRecords(false)
            _ = try await first.finished()
            _ = try await second.finished()
            await manager.idle()
            let events = await manager.allEvents()
            #expect(events.map(\.number) == Array(1...Int64(events.count)))
            #expect(events.count { $0.download == first.id && $0.kind.endsRun } == 1)
            #expect(harness.bytes("a") == Self.file.allBytes && harness.bytes("b") == Self.file.allBytes)
        }
    }

    @Test("a source that could not be replaced is not used: it goes on from the old one")
    func replaceSource() async throws {
        let other = Resource.file(seed: 42, size: 200_000)
        try await ManagerTrial.run(["/f": Self.file, "/g": other]) { harness in
            let manager = try harness.manager
            harness.server.hold(after: 50_000)
            let download = try await manager.add(harness.spec("/f"))
            try await download.until(bytes: 1)
            try await download.pause()
            manager.refuseRecords(true)
            let error = await #expect(throws: DownloadError.self) {
                try await download.replaceSource(
                    url: harness.server.url("/g"), headers: [.init(name: "Authorization", value: "secret")])
            }
            #expect(error?.code == .catalogueFailed)
            manager.refuseRecords(false)
            harness.server.throttle(nil)
            try await download.resume()
            _ = try await download.finished()
            #expect(harness.server.requests("/g").isEmpty)
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }

    @Test(
        "files that were removed meanwhile: the caller gets the error at once, and the end is recorded when it can be, once",
        arguments: [true, false])
    func fileWork(removes: Bool) async throws {
        let manager = Mutex<DownloadManager?>(nil)
        let hook: SystemCalls.Hook = { call in
            if case .unlink(let path) = call, path.hasSuffix("f.part") {
                manager.withLock { $0?.refuseRecords(true) }
            }
            return .proceed
        }
        let slow = Resource.file(seed: 43, size: 2_000_000).script(.normal.throttle(400_000))
        try await ManagerTrial.run(["/f": slow], hook: hook, { $0.recordInterval = .milliseconds(10) }) { harness in
            let current = try harness.manager
            let download = try await current.add(harness.spec("/f"))
            try await download.until(bytes: 200_000)
            try await download.pause()
            let names = harness.names
            #expect(names.contains("f.part"))
            manager.withLock { $0 = current }
            let failed = await #expect(throws: DownloadError.self) {
                try await removes ? download.remove() : download.cancel(keepPartial: false)
            }
            #expect(failed?.code == .catalogueFailed && !harness.names.contains("f.part"))
            #expect(current.listFailure?.code == .catalogueFailed)
            // A second command does not wait for it either.
            #expect(await #expect(throws: DownloadError.self) { try await download.pause() }?.code == .catalogueFailed)
            manager.withLock { $0 = nil }
            current.refuseRecords(false)
            _ = try await current.first { $0.kind.word == (removes ? "removed" : "cancelled") }
            let ends = await download.emitted.map(\.word).filter { $0 == "cancelled" || $0 == "removed" }
            #expect(ends == [removes ? "removed" : "cancelled"])
            #expect(try await current.summary()[.cancelled] == (removes ? 0 : 1))
            await current.idle()
            #expect(harness.names.isEmpty)
        }
    }

    @Test("the first start that is refused is the only one that is tried: the others wait for the next time")
    func starts() async throws {
        let lines = Lines()
        var logger = Logger(label: "test") { _ in lines }
        logger.logLevel = .error
        let resources = ["/f": Self.file]
        try await ManagerTrial.run(
            resources,
            { [logger] in
                $0.logger = logger
                $0.settings.limit = 0
                $0.recordInterval = .seconds(3600)
            }
        ) { harness in
            let manager = try harness.manager
            let all = try await harness.add((0..<50).map { harness.spec("/f", "f\($0)") })
            manager.refuseRecords(true)
            var settings = try await manager.currentSettings
            settings.limit = 3
            try await manager.update(settings)
            while lines.count == 0 { await Task.yield() }
            // What is told of it wakes the manager's loop many times more.
            for _ in 0..<100 { try await manager.update(settings) }
            #expect(lines.count == 1)
            manager.refuseRecords(false)
            #expect(try await all[49].state.kind == .waiting)
        }
    }

    @Test("it is logged once, the failures are counted, and the end of it is logged with their number")
    func logged() async throws {
        let log = LogLines()
        try await ManagerTrial.run(
            ["/f": Self.file.script(.silence())],
            {
                $0.logger = log.logger(.notice)
                $0.recordInterval = .milliseconds(5)
            }
        ) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f"))
            #expect(manager.listFailure == nil)
            manager.refuseRecords(true)
            for _ in 0..<20 { await #expect(throws: DownloadError.self) { try await download.pause() } }
            #expect(manager.listFailure?.code == .catalogueFailed)
            #expect(log.lines.map(\.message) == ["can't write the list of downloads"])
            manager.refuseRecords(false)
            // Nothing asks for a write any more: the manager finds out by itself.
            while manager.listFailure != nil { await Task.yield() }
            while log.lines.count < 2 { await Task.yield() }
            #expect(log.lines[1].message == "can write the list of downloads again")
            #expect(log.lines[1].metadata["failures"].flatMap(Int.init) ?? 0 >= 20)
        }
    }

    /// Counts lines.
    private struct Lines: LogHandler {
        private let lines = Counter()
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.error
        var count: Int { lines.value.load(ordering: .acquiring) }

        private final class Counter: Sendable { let value = Atomic(0) }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            lines.value.add(1, ordering: .acquiringAndReleasing)
        }
    }
}
