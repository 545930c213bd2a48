import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("Documentation: models", .usesSockets)
struct ModelsSnippetTests {
    // snippet: episode
    struct Episode: Downloadable {
        let title: String
        let url: String
        let folder: String

        var downloadSpec: DownloadSpec { DownloadSpec(url: url, destination: .hashed(folder: folder)) }
    }
    // end snippet

    // snippet: row
    final class EpisodeRow: Downloadable {
        let episode: Episode
        let text = Mutex("")

        var downloadSpec: DownloadSpec { episode.downloadSpec }

        init(_ episode: Episode) { self.episode = episode }

        func downloadDidChange(_ event: DownloadEvent) {
            switch event.kind {
            case .progress(let progress): text.withLock { $0 = "\(progress.fileBytes) bytes" }
            case .finished: text.withLock { $0 = "there" }
            case .failed(let error): text.withLock { $0 = "\(error)" }
            // Later versions may add events.
            default: break
            }
        }
    }
    // end snippet

    // snippet: isolated
    @MainActor
    final class EpisodeModel: @MainActor IsolatedDownloadable {
        let url: String
        let folder: String
        var text = ""

        var downloadSpec: DownloadSpec { DownloadSpec(url: url, destination: .hashed(folder: folder)) }

        init(url: String, folder: String) { (self.url, self.folder) = (url, folder) }

        func downloadDidChange(_ event: DownloadEvent) {
            if case .finished(let facts) = event.kind { text = "\(facts.totalBytes) bytes" }
        }
    }
    // end snippet

    @MainActor
    @Test("a model of the main actor")
    func isolated() async throws {
        try await ManagerTrial.run(["/1.mp3": Self.file]) { harness in
            let manager = try harness.manager
            let model = EpisodeModel(url: harness.server.url("/1.mp3"), folder: harness.folder.path)
            let removal = Task {
                let download = try await manager.first { if case .finished = $0.kind { true } else { false } }.download
                try await manager.remove(download)
            }
            // snippet: follow
            try await model.download(with: manager)
            // Until the download is removed, the manager is closed or the task is cancelled.
            try await model.follow(in: manager)
            // end snippet
            try await removal.value
            #expect(model.text == "300000 bytes")
        }
    }

    static let file = Resource.file(seed: 35, size: 300_000)

    @Test("download, play, undownload")
    func episode() async throws {
        try await ManagerTrial.run(["/1.mp3": Self.file]) { harness in
            let manager = try harness.manager
            let episode = Episode(title: "One", url: harness.server.url("/1.mp3"), folder: harness.folder.path)
            let printed = Printed()
            let print = printed.add
            // snippet: episode-use
            let download = try await episode.download(with: manager)
            _ = try await download.finished()
            if let path = await episode.downloadedPath(in: manager) { print("plays \(path)") }
            // end snippet
            #expect(printed.lines.count == 1)
            #expect(printed.lines.first?.hasSuffix(".mp3") == true)
            #expect(await episode.isDownloaded(in: manager))
            // snippet: undownload
            try await episode.undownload(from: manager)
            // end snippet
            #expect(harness.names.isEmpty)
            #expect(await episode.isDownloaded(in: manager) == false)
        }
    }

    @Test("one button")
    func toggle() async throws {
        try await ManagerTrial.run(["/1.mp3": Self.file], throttle: 10_000) { harness in
            let manager = try harness.manager
            let episode = Episode(title: "One", url: harness.server.url("/1.mp3"), folder: harness.folder.path)
            // snippet: toggle
            let isWanted = try await episode.toggleDownload(with: manager)
            // end snippet
            #expect(isWanted)
            #expect(await episode.isDownloading(in: manager))
            #expect(try await episode.toggleDownload(with: manager) == false)
            #expect(harness.names.isEmpty)
        }
    }

    @Test("a model that hears what happens")
    func row() async throws {
        try await ManagerTrial.run(["/1.mp3": Self.file], throttle: 10_000) { harness in
            let manager = try harness.manager
            let episode = Episode(title: "One", url: harness.server.url("/1.mp3"), folder: harness.folder.path)
            let download = try await episode.download(with: manager)
            let printed = Printed()
            let print = printed.add
            // snippet: bind
            let row = EpisodeRow(episode)
            try await row.bind(to: manager)
            if let state = await row.downloadState(in: manager) { print("begins as \(state.kind)") }
            // end snippet
            #expect(printed.lines.count == 1)
            harness.server.throttle(nil)
            _ = try await download.finished()
            #expect(row.text.withLock { $0 } == "there")
            // Nothing follows for one that is bound afterwards: its state has to be read.
            let late = EpisodeRow(episode)
            try await late.bind(to: manager)
            #expect(await late.downloadState(in: manager)?.kind == .finished)
            #expect(late.text.withLock { $0 }.isEmpty)
        }
    }

    @Test("asked for again it is the same download, which goes on; a deleted file is fetched again")
    func again() async throws {
        try await ManagerTrial.run(["/1.mp3": Self.file], throttle: 10_000) { harness in
            let manager = try harness.manager
            let episode = Episode(title: "One", url: harness.server.url("/1.mp3"), folder: harness.folder.path)
            let first = try await episode.download(with: manager)
            try await first.pause()
            harness.server.throttle(nil)
            #expect(try await episode.download(with: manager) == first)
            let facts = try await first.finished()
            try FileManager.default.removeItem(atPath: facts.path)
            #expect(await episode.isDownloaded(in: manager) == false)
            #expect(try await episode.download(with: manager) == first)
            await manager.idle()
            #expect(await episode.downloadedPath(in: manager) == facts.path)
            #expect(try await manager.count() == 1)
        }
    }

    @Test("a file that happens to be there makes nothing downloaded")
    func anyFile() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            struct Fixed: Downloadable { let downloadSpec: DownloadSpec }
            let model = Fixed(downloadSpec: harness.spec("/1.mp3"))
            try harness.folder.put([1, 2, 3], "1.mp3")
            #expect(await model.isDownloaded(in: manager) == false)
            let download = try await model.download(with: manager)
            await #expect(throws: DownloadError.self) { try await download.finished() }
            #expect(await model.isDownloaded(in: manager) == false)
            #expect(harness.bytes("1.mp3") == [1, 2, 3])
        }
    }
}
