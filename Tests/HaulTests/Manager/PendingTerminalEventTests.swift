import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulLocal

@Suite("An end that a kill prevented is told at the next launch", .usesSockets, .timeLimit(.minutes(10)))
struct PendingTerminalEventTests {
    static let file = Resource.file(seed: 91, size: 2_000_000)

    enum Asked: String, CaseIterable, Sendable {
        case nothing, pause, cancel, cancelAndClear, removeKeepingFiles, removePartial
    }

    @Test("killed while it ran, or between a command and the end of its run (T3, T11)", arguments: Asked.allCases)
    func ends(asked: Asked) async throws {
        let gate = HoldPoint()
        let isArmed = Atomic(false)
        let hook: SystemCalls.Hook = { call in
            // The run saves its journal, or removes it, before it ends.
            if isArmed.load(ordering: .acquiring), call.path.contains(".part") { gate.reach() }
            return .proceed
        }
        let slow = Self.file.script(.normal.throttle(500_000))
        try await ManagerTrial.run(["/f": slow], hook: hook, { $0.resumesAtLaunch = true }) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            try await download.until(bytes: 100_000)
            let number = try harness.manager.lastEventNumber
            isArmed.store(true, ordering: .releasing)
            let asking = Task {
                switch asked {
                case .nothing: break
                case .pause: try await download.pause()
                case .cancel: try await download.cancel()
                case .cancelAndClear: try await download.cancel(keepPartial: false)
                case .removeKeepingFiles: try await download.remove(files: .none)
                case .removePartial: try await download.remove(files: .partial)
                }
            }
            await gate.reached()
            // A periodic checkpoint may be at the gate before the command is recorded.
            if asked != .nothing {
                let local = try #require(try harness.manager.backend as? LocalManager)
                while await local.isGoing(download.id) { await Task.yield() }
            }
            await harness.kill {
                isArmed.store(false, ordering: .releasing)
                gate.open()
            }
            _ = await asking.result
            harness.server.throttle(1)
            let manager = try await harness.launch()
            let words: [String] =
                switch asked {
                case .nothing: ["waiting"]
                case .pause: ["paused"]
                case .cancel, .cancelAndClear: ["cancelled"]
                case .removeKeepingFiles, .removePartial: ["removed"]
                }
            if asked == .removePartial || asked == .cancelAndClear { await manager.idle() }
            let emitted = await manager.allEvents().filter { $0.number > number && $0.download == download.id }
            #expect(Array(emitted.map(\.kind.word).prefix(1)) == words)
            expectOneEndPerRun(await manager.allEvents())
            let again = try await manager.download(download.id)
            switch asked {
            case .nothing: try await again?.cancel()
            case .pause: #expect(try await again?.state == .paused(.asked))
            case .cancel:
                #expect(try await again?.state == .cancelled(keptPartial: true))
                #expect(harness.names.contains("f.part"))
            case .cancelAndClear:
                await manager.idle()
                #expect(try await again?.state == .cancelled(keptPartial: false))
                #expect(harness.names.isEmpty)
            case .removeKeepingFiles:
                #expect(again == nil && harness.names.contains("f.part"))
            case .removePartial:
                #expect(again == nil && harness.names.isEmpty)
            }
            // Once told, it is not owed any more.
            let last = manager.lastEventNumber
            await harness.close()
            #expect(try await harness.launch().lastEventNumber == last)
        }
    }

    @Test(
        "a removal whose disk did not respond before the kill is completed at the next launch",
        arguments: [RemovedFiles.partial, .all], [true, false])
    func removal(files: RemovedFiles, resumes: Bool) async throws {
        let gate = HoldPoint()
        let isArmed = Atomic(true)
        let hook: SystemCalls.Hook = { call in
            if isArmed.load(ordering: .acquiring), case .unlink(let path) = call, path.hasSuffix("/f.part") {
                gate.reach()
            }
            return .proceed
        }
        let slow = Self.file.script(.normal.throttle(500_000))
        try await ManagerTrial.run(["/f": slow], hook: hook, { $0.resumesAtLaunch = resumes }) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            try await download.until(bytes: 100_000)
            try await download.pause()
            // Queued again, it would start by itself at the next launch.
            var settings = try await harness.manager.currentSettings
            settings.limit = 0
            try await harness.manager.update(settings)
            try await download.resume()
            let asking = Task { try await download.remove(files: files) }
            await gate.reached()
            await harness.kill {
                isArmed.store(false, ordering: .releasing)
                gate.open()
            }
            _ = await asking.result
            let manager = try await harness.launch()
            await manager.idle()
            #expect(try await manager.snapshots() == [])
            #expect(try await manager.summary().counts == [:])
            #expect(harness.names.isEmpty)
            #expect(await manager.allEvents().last?.kind == .removed(files))
        }
    }

    @Test("a partial file that was not discarded before two kills is discarded at the next launch")
    func discardKilledTwice() async throws {
        let gates = [HoldPoint(), HoldPoint()]
        let kills = Atomic(0)
        let hook: SystemCalls.Hook = { call in
            let count = kills.load(ordering: .acquiring)
            guard count < gates.count, case .unlink(let path) = call, path.hasSuffix("/f.part") else { return .proceed }
            gates[count].reach()
            return .fail(5)
        }
        let slow = Self.file.script(.normal.throttle(500_000))
        try await ManagerTrial.run(["/f": slow], hook: hook) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            try await download.until(bytes: 100_000)
            try await download.pause()
            let asking = Task { try await download.cancel(keepPartial: false) }
            for gate in gates {
                await gate.reached()
                await harness.kill {
                    kills.add(1, ordering: .acquiringAndReleasing)
                    gate.open()
                }
                #expect(harness.names.contains("f.part"))
                try await harness.launch()
            }
            _ = await asking.result
            let manager = try harness.manager
            await manager.idle()
            #expect(try await manager.snapshot(download.id).state == .cancelled(keptPartial: false))
            #expect(harness.names.isEmpty)
            let ends = await manager.allEvents().filter { $0.kind.word == "cancelled" }
            #expect(ends.map(\.kind) == [.cancelled(keptPartial: false)])
        }
    }

    @Test("a retry from the start that was killed before the partial file was removed does not resume that file")
    func retryFromStart() async throws {
        let gate = HoldPoint()
        let isArmed = Atomic(true)
        let hook: SystemCalls.Hook = { call in
            guard isArmed.load(ordering: .acquiring), case .unlink(let path) = call, path.hasSuffix("/f.part") else {
                return .proceed
            }
            gate.reach()
            return .fail(5)
        }
        let slow = Self.file.script(.normal.throttle(500_000))
        try await ManagerTrial.run(["/f": slow], hook: hook, { $0.resumesAtLaunch = true }) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            try await download.until(bytes: 100_000)
            try await download.cancel()
            harness.server.set("/f", Self.file)
            let asking = Task { try await download.retry(fromStart: true) }
            await gate.reached()
            // Clients do not see the state that is recorded for the case of a kill.
            #expect(try await download.state.kind == .waiting)
            await harness.kill {
                isArmed.store(false, ordering: .releasing)
                gate.open()
            }
            _ = await asking.result
            #expect(harness.names.contains("f.part"))
            let manager = try await harness.launch()
            await manager.idle()
            #expect(try await manager.snapshot(download.id).state == .cancelled(keptPartial: false))
            #expect(harness.names.isEmpty)
            try await manager.retry(download.id)
            let again = try #require(try await manager.download(download.id))
            #expect(try await again.finished().sessionBytes == 2_000_000)
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("a file that was finished when its removal was asked for is removed, also after a kill")
    func removalOfFinished() async throws {
        let (naming, removing) = (HoldPoint(), HoldPoint())
        let isNamed = Atomic(false)
        let isArmed = Atomic(true)
        let hook: SystemCalls.Hook = { call in
            switch call {
            case .link(_, let to) where to.hasSuffix("/f"), .rename(_, let to) where to.hasSuffix("/f"),
                .renameNoReplace(_, let to) where to.hasSuffix("/f"):
                if !isNamed.exchange(true, ordering: .acquiringAndReleasing) { naming.reach() }
            case .unlink(let path) where path.hasSuffix("/f") && isArmed.load(ordering: .acquiring):
                removing.reach()
                return .fail(5)
            default: break
            }
            return .proceed
        }
        try await ManagerTrial.run(["/f": Self.file], hook: hook) { harness in
            let manager = try harness.manager
            let id = try await manager.add(harness.spec("/f")).id
            await naming.reached()
            let asking = Task { try await manager.remove(id, files: .all) }
            let local = try #require(manager.local)
            while await local.isGoing(id) { await Task.yield() }
            naming.open()
            await removing.reached()
            await harness.kill {
                isArmed.store(false, ordering: .releasing)
                removing.open()
            }
            _ = await asking.result
            #expect(harness.names.contains("f"))
            let again = try await harness.launch()
            await again.idle()
            #expect(try await again.snapshots() == [])
            #expect(harness.names.isEmpty)
        }
    }
}

extension LocalManager {
    fileprivate func isGoing(_ id: DownloadID) -> Bool { live[id]?.lifecycle.run == .going }
}
