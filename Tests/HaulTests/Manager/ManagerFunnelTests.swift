import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal
@testable import HaulManager

/// What the model test found, each as a small case of its own.
@Suite("What is recorded is what is told", .usesSockets)
struct ManagerFunnelTests {
    static let file = Resource.file(seed: 71, size: 300_000)

    @Test("a finished download can be removed with any choice of files", arguments: RemovedFiles.allCases)
    func removeFinished(files: RemovedFiles) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f"))
            _ = try await download.finished()
            try await download.remove(files: files)
            #expect(try await manager.snapshots().isEmpty)
            #expect(try await manager.summary().counts.isEmpty)
            #expect(harness.names == (files == .all ? [] : ["f"]))
            let last = try #require(await manager.allEvents().last)
            #expect(last.kind == .removed(files))
        }
    }

    @Test("one that is cancelled once more, without its partial, says so", arguments: [true, false])
    func cancelTwice(isRunning: Bool) async throws {
        let slow = Self.file.script(.normal.throttle(200_000))
        try await ManagerTrial.run(["/f": slow]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f"))
            for try await event in download.events {
                if case .progress(let progress) = event.kind, progress.fileBytes > 0 { break }
            }
            async let first: Void = download.cancel()
            if !isRunning { _ = try await first }
            try await download.cancel(keepPartial: false)
            _ = try await first
            let snapshot = try await download.snapshot
            #expect(snapshot.state == .cancelled(keptPartial: false))
            #expect(snapshot.progress.fileBytes == 0)
            #expect(harness.names.isEmpty)
            #expect(await manager.allEvents().last?.kind == .cancelled(keptPartial: false))
        }
    }

    @Test("a run that the end of the manager interrupts has its one end")
    func interrupted() async throws {
        let slow = Self.file.script(.normal.throttle(100_000))
        try await ManagerTrial.run(["/f": slow]) { harness in
            _ = try await harness.manager.add(harness.spec("/f"))
            _ = try await harness.manager.first { if case .started = $0.kind { true } else { false } }
            await harness.close()
            let events = try await harness.launch { $0.resumesAtLaunch = false }.allEvents().map(\.kind)
            #expect(events.count(where: \.endsRun) == 2)
            #expect(events.suffix(2) == [.waiting(.start, until: nil), .paused(.relaunch)])
        }
    }

    @Test("a subscriber whose events are not kept any more hears all that happens from now on")
    func forgottenEvents() async throws {
        try await ManagerTrial.run(["/f": Self.file], { $0.settings.eventsKept = 1 }) { harness in
            let specs = (0..<2500).map { number in
                var spec = harness.spec("/f", "\(number)")
                spec.startsPaused = true
                return spec
            }
            let manager = try harness.manager
            let download = try await manager.add(contentsOf: specs)[0].get()
            let received = await withTaskGroup(of: DownloadID?.self) { tasks in
                tasks.addTask {
                    for await event in manager.events(since: 0).uncancelled where event.kind.isNumbered {
                        return event.download
                    }
                    return nil
                }
                tasks.addTask {
                    while !Task.isCancelled { try? await download.set(priority: 1) }
                    return nil
                }
                defer { tasks.cancelAll() }
                return await tasks.next() ?? nil
            }
            #expect(received == download.id)
        }
    }

    @Test("one who waits and missed a thousand events of others hears of the end of the manager, not of a removal")
    func closedFarBehind() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            let all = try await harness.add(
                ["/a", "/b"].map { path in harness.spec(path, nil) { $0.startsPaused = true } })
            let waiting = Task { await all[0].failure() }
            while manager.hub.waiterCount == 0 { await Task.yield() }
            for number in 0..<1100 { try await all[1].set(priority: number % 9) }
            await harness.close()
            #expect(await waiting.value == .notPossible)
        }
    }

    @Test("hooks that take too long do not hold up the end of the manager, nor its list")
    func slowHooks() async throws {
        let hook = try HookCommand(on: [.added], arguments: ["sleep", "3000"], timeout: .seconds(3600))
        try await ManagerTrial.run([:]) { harness in
            await harness.close()
            let manager = try await harness.launch {
                $0.settings.hooks = [hook]
                $0.hookGrace = .milliseconds(50)
            }
            for path in ["/a", "/b"] { _ = try await manager.add(harness.spec(path) { $0.startsPaused = true }) }
            await harness.close()
            #expect(try await harness.launch().count() == 2)
        }
    }
}
