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
            if asked == .removePartial { await manager.idle() }
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
}

extension LocalManager {
    fileprivate func isGoing(_ id: DownloadID) -> Bool { live[id]?.lifecycle.run == .going }
}
