import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: coming from another download manager", .usesSockets)
struct MigrationSnippetTests {
    static let file = Resource.file(seed: 39, size: 3_000_000)

    @Test("resume with true progress")
    func resume() async throws {
        try await ManagerTrial.run(["/book.pdf": Self.file], throttle: 1_500_000) { harness in
            let manager = try harness.manager
            let (url, folder) = (harness.server.url("/book.pdf"), harness.folder.path)
            let printed = Printed()
            let show: @Sendable (Double) -> Void = { printed.add("\(Int($0 * 100))") }
            // snippet: from-resume
            var spec = DownloadSpec(url: url, destination: .folder(path: folder))
            spec.onConflict = .replace
            let download = try await manager.add(spec)
            let watching = Task {
                for try await event in download.events {
                    guard case .progress(let progress) = event.kind else { continue }
                    show(progress.fraction ?? 0)
                }
            }
            let facts = try await download.finished()
            // end snippet
            watching.cancel()
            _ = await watching.result
            #expect(facts.path == harness.path("book.pdf"))
            #expect(!printed.lines.isEmpty)
        }
    }

    @Test("pause, resume, cancel by position and for all")
    func positions() async throws {
        try await ManagerTrial.run(["/film.mp4": Self.file], throttle: 100_000) { harness in
            let manager = try harness.manager
            let (url, folder) = (harness.server.url("/film.mp4"), harness.folder.path)
            // snippet: from-positions
            let path = "\(folder)/film.mp4"
            try await manager.add(DownloadSpec(url: url, destination: .file(path: path)))
            try await manager.download(at: 0)?.pause()
            try await manager.download(at: 0)?.resume()
            try await manager.pause(.all)
            try await manager.cancel(.all, keepPartial: false)
            // end snippet
            #expect(try await manager.snapshots().map(\.state) == [.cancelled(keptPartial: false)])
            #expect(harness.names.isEmpty)
        }
    }

    @Test("a queue with a limit")
    func queue() async throws {
        try await FaultServer.run(["/a": Self.file]) { server in
            let temporary = try TemporaryFolder()
            let (url, folder, list) = (server.url("/a"), temporary.path, temporary.path("list.sqlite"))
            let printed = Printed()
            let show: @Sendable (Double, Double?) -> Void = { speed, _ in printed.add("\(speed)") }
            // snippet: from-queue
            var configuration = ManagerConfiguration(storage: .file(path: list))
            configuration.settings.limit = 2
            configuration.settings.order = .lifo
            let manager = try await DownloadManager(configuration)
            var spec = DownloadSpec(url: url, destination: .folder(path: folder))
            spec.startsAtOnce = false
            let download = try await manager.add(spec)
            let progress = try await download.snapshot.progress
            show(progress.speed, progress.secondsLeft)
            // end snippet
            #expect(try await manager.currentSettings.limit == 2)
            _ = try await download.finished()
            await manager.close()
            #expect(temporary.bytes("a") == Self.file.allBytes)
            #expect(printed.lines.count == 1)
        }
    }

    @Test("several connections")
    func accelerated() async throws {
        try await ManagerTrial.run(["/large.zip": Self.file], throttle: 6_000_000) { harness in
            let manager = try harness.manager
            let (url, folder) = (harness.server.url("/large.zip"), harness.folder.path)
            // snippet: from-accelerated
            var spec = DownloadSpec(url: url, destination: .file(path: "\(folder)/large.zip"))
            spec.connections = .fixed(6)
            spec.tags = ["archive"]
            let download = try await manager.add(spec)
            let facts = try await download.finished()
            // end snippet
            #expect(facts.totalBytes == 3_000_000)
            #expect(harness.server.maximumConcurrent > 1)
            #expect(harness.bytes("large.zip") == Self.file.allBytes)
        }
    }

    @Test("the caller's own models, with observers")
    func models() async throws {
        try await ManagerTrial.run(["/1.mp3": Self.file], throttle: 1_000_000) { harness in
            let manager = try harness.manager
            let episode = ModelsSnippetTests.Episode(
                title: "One", url: harness.server.url("/1.mp3"), folder: harness.folder.path)
            let printed = Printed()
            let reload: @Sendable () -> Void = { printed.add("reload") }
            // snippet: from-models
            let download = try await episode.download(with: manager)
            let observing = Task {
                for try await event in download.events where event.kind.endsRun { reload() }
            }
            // end snippet
            _ = try await manager.first { if case .progress = $0.kind { true } else { false } }
            try await download.pause()
            while printed.lines.isEmpty { await Task.yield() }
            observing.cancel()
            _ = await observing.result
            #expect(printed.lines == ["reload"])
        }
    }
}
