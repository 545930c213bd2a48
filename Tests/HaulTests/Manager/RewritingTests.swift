import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

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

    @Test("one at work is refused; so is a destination once something is there, and what could never be fetched")
    func refusals() async throws {
        try await ManagerTrial.run(["/s": Self.stalls]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/s"))
            try await download.until(bytes: 100_000)
            let running = await #expect(throws: DownloadError.self) { try await manager.rewrite(download.id) { _ in } }
            #expect(running?.code == .notPossible)
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
