import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulLocal

@Suite("Changing what is asked of a download", .usesSockets)
struct RewritingTests {
    static let file = Resource.file(seed: 66, size: 300_000)
    static let stalls = file.script { _ in .stall(after: 100_000) }

    @Test("one that waits or is paused is changed, secrets and all; its key, its URL and its place in the queue stay")
    func changes() async throws {
        try await ManagerTrial.run(["/a": Self.file], { $0.settings.limit = 0 }) { harness in
            let manager = try harness.manager
            let spec = harness.spec("/a", "old")
            let download = try await manager.add(spec)
            let key = try await download.snapshot.key
            let targetPath = harness.path("new")
            try await manager.rewrite(download.id) { spec throws(DownloadError) in
                spec.destination = .file(path: targetPath)
                spec.headers = [DownloadSpec.Header(name: "X-Token", value: "hush")]
                spec.url = "http://elsewhere.invalid/"
            }
            let emitted = try await download.snapshot
            #expect(emitted.key == key && emitted.spec.url == spec.url && emitted.spec.headers.first?.value == "")
            #expect(try await manager.ids(.all) == [download.id])
            #expect(try await manager.ids(.state(.paused)).isEmpty)
            var settings = try await manager.currentSettings
            settings.limit = 1
            try await manager.update(settings)
            _ = try await download.finished()
            #expect(harness.bytes("new") == Self.file.allBytes && harness.bytes("old") == nil)
            #expect(harness.server.requests("/a").first?.facts.header("X-Token") == "hush")
            await #expect(throws: DownloadError.self) { try await manager.rewrite(download.id) { _ in } }
        }
    }

    @Test(
        "one that runs stops, and continues with the change, also after a kill before the run has ended",
        arguments: [true, false])
    func running(isKilled: Bool) async throws {
        let gate = HoldPoint()
        let isArmed = Atomic(false)
        let hook: SystemCalls.Hook = { call in
            // The run saves its journal before it ends.
            if isArmed.load(ordering: .acquiring), call.path.contains(".part") { gate.reach() }
            return .proceed
        }
        try await ManagerTrial.run(["/s": Self.stalls], hook: hook, { $0.resumesAtLaunch = true }) { harness in
            let manager = try harness.manager
            let id = try await manager.add(harness.spec("/s")).id
            try await manager.download(id)?.until(bytes: 100_000)
            harness.server.set("/s", Self.file)
            isArmed.store(isKilled, ordering: .releasing)
            let asking = Task {
                try await manager.rewrite(id) { spec throws(DownloadError) in spec.retries = 7 }
            }
            if isKilled {
                await gate.reached()
                // A periodic checkpoint may be at the gate before the change is recorded.
                let local = try #require(manager.local)
                while await local.isAtWork(id) { await Task.yield() }
                await harness.kill {
                    isArmed.store(false, ordering: .releasing)
                    gate.open()
                }
                _ = await asking.result
                try await harness.launch()
            } else {
                try await asking.value
            }
            let download = try #require(try await harness.manager.download(id))
            _ = try await download.finished()
            #expect(harness.bytes("s") == Self.file.allBytes)
            #expect(try await download.snapshot.spec.retries == 7)
            expectOneEndPerRun(try await harness.manager.allEvents())
        }
    }

    @Test("a destination is refused while it runs, and once something is there; so is what could never be fetched")
    func refusals() async throws {
        try await ManagerTrial.run(["/s": Self.stalls]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/s"))
            try await download.until(bytes: 100_000)
            let running = await #expect(throws: DownloadError.self) {
                try await manager.rewrite(download.id) { spec throws(DownloadError) in
                    spec.destination = .file(path: "/x")
                }
            }
            #expect(running?.code == .notPossible)
            #expect(try await download.state == .running)
            try await download.pause()
            let moved = await #expect(throws: DownloadError.self) {
                try await manager.rewrite(download.id) { spec throws(DownloadError) in
                    spec.destination = .file(path: "/x")
                }
            }
            #expect(moved?.code == .notPossible)
            let wrong = await #expect(throws: DownloadError.self) {
                try await manager.rewrite(download.id) { spec throws(DownloadError) in
                    spec.headers = [DownloadSpec.Header(name: "Range", value: "bytes=0-1")]
                }
            }
            #expect(wrong?.code == .invalidRequest)
            let gone = await #expect(throws: DownloadError.self) {
                try await manager.rewrite(DownloadID(rawValue: 99)) { _ in }
            }
            #expect(gone?.code == .noSuchDownload)
            try await manager.rewrite(download.id) { spec throws(DownloadError) in spec.connections = .fixed(2) }
            #expect(try await download.snapshot.spec.connections == .fixed(2))
        }
    }
}

extension LocalManager {
    fileprivate func isAtWork(_ id: DownloadID) -> Bool { live[id]?.lifecycle.run == .going }
}
