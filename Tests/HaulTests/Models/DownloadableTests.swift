import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

/// What models, observers and hooks have heard, in order.
final class Received: Sendable {
    private let all = Mutex<[String]>([])
    var words: [String] { all.withLock { $0 } }
    func note(_ word: String) { all.withLock { $0.append(word) } }
}

/// A model that is a value.
struct Episode: Downloadable {
    let downloadSpec: DownloadSpec
    let received: Received
    var name = "model"

    func downloadDidChange(_ event: DownloadEvent) {
        if event.kind.isNumbered { received.note("\(name) \(event.kind.word)") }
    }
}

/// A model that is an object.
final class Map: Downloadable {
    let downloadSpec: DownloadSpec
    let received: Received
    let name: String

    init(_ spec: DownloadSpec, _ received: Received, name: String = "object") {
        (downloadSpec, self.received, self.name) = (spec, received, name)
    }

    func downloadDidChange(_ event: DownloadEvent) {
        if event.kind.isNumbered { received.note("\(name) \(event.kind.word)") }
    }
}

@Suite("Models that can be downloaded", .usesSockets, .timeLimit(.minutes(10)))
struct DownloadableTests {
    static let file = Resource.file(seed: 75, size: 400_000)
    static let stalls = file.script { _ in .stall(after: 200_000) }

    @Test("one requirement, and the rest comes free; downloaded means record and file, both (U20)")
    func comesFree() async throws {
        try await ManagerTrial.run(["/f": Self.stalls]) { harness in
            let manager = try harness.manager
            let model = Episode(downloadSpec: harness.spec("/f"), received: Received())
            #expect(await model.downloadState(in: manager) == nil)
            #expect(await !model.isDownloading(in: manager))
            let download = try await model.download(with: manager)
            try await download.until(bytes: 200_000)
            #expect(await model.isDownloading(in: manager))
            #expect(await !model.isDownloaded(in: manager))
            #expect(try await model.currentDownload(in: manager) == download)
            try await download.pause()
            #expect(await !model.isDownloading(in: manager))
            harness.server.set("/f", Self.file)
            #expect(try await model.download(with: manager) == download)
            _ = try await download.finished()
            #expect(await model.isDownloaded(in: manager))
            #expect(await model.downloadedPath(in: manager) == harness.path("f"))
            try FileManager.default.removeItem(atPath: harness.path("f"))
            #expect(await !model.isDownloaded(in: manager))
            _ = try await model.download(with: manager).finished()
            #expect(await model.isDownloaded(in: manager))
            try await model.undownload(from: manager)
            try await model.undownload(from: manager)
            #expect(await !model.isDownloaded(in: manager))
            #expect(harness.names == [])
            try harness.folder.put(Self.file.allBytes, "f")
            // A file alone is no download (T12).
            #expect(await !model.isDownloaded(in: manager))
        }
    }

    @Test("toggling downloads what is not there, and undoes what is there or on its way (U20)")
    func toggle() async throws {
        try await ManagerTrial.run(["/f": Self.stalls]) { harness in
            let manager = try harness.manager
            let model = Episode(downloadSpec: harness.spec("/f"), received: Received())
            #expect(try await model.toggleDownload(with: manager))
            let download = try #require(try await model.currentDownload(in: manager))
            try await download.until(bytes: 200_000)
            #expect(try await !model.toggleDownload(with: manager))
            #expect(harness.names == [])
            #expect(try await manager.count() == 0)
            harness.server.set("/f", Self.file)
            #expect(try await model.toggleDownload(with: manager))
            _ = try await model.currentDownload(in: manager)?.finished()
            #expect(try await !model.toggleDownload(with: manager))
            #expect(harness.names == [])
        }
    }

    @Test(
        "toggling what waits for a download that has failed, or was paused, starts that one", arguments: [true, false])
    func toggleAwaiting(isPaused: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let manager = try harness.manager
            let first = try await manager.add(harness.spec("/a") { $0.startsPaused = isPaused })
            if !isPaused { #expect(await first.failure() == .notFound) }
            let second = try await manager.add(harness.spec("/f", "b") { $0.after = [first.id] })
            let spec = harness.spec("/f") { $0.after = [second.id] }
            let model = Episode(downloadSpec: spec, received: Received())
            let download = try await model.download(with: manager)
            #expect(await !model.isDownloading(in: manager))
            harness.server.set("/a", Self.file)
            #expect(try await model.toggleDownload(with: manager))
            _ = try await download.finished()
            #expect(await model.isDownloaded(in: manager))
        }
    }

    @Test("what waits for the caller is not on its way by itself")
    func held() async throws {
        let expires = Self.file.script { $0.number == 1 ? .stall(after: 200_000) : .status(403) }
        try await ManagerTrial.run(["/f": expires]) { harness in
            let manager = try harness.manager
            let spec = harness.spec("/f") { $0.idleTimeout = .milliseconds(500) }
            let model = Episode(downloadSpec: spec, received: Received())
            try await model.download(with: manager).until {
                if case .waiting(.linkExpired) = $0 { true } else { false }
            }
            #expect(await !model.isDownloading(in: manager))
            harness.server.set("/f", Self.file)
            #expect(try await model.toggleDownload(with: manager))
            let facts = try await model.currentDownload(in: manager)?.finished()
            #expect(facts?.sessionBytes == 200_000)
        }
    }

    @Test(
        "a model hears everything about its download from its adding on, as a value and as an object (U19, U20)",
        arguments: [true, false])
    func receivesAll(isObject: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let manager = try harness.manager
            let received = Received()
            let map = Map(harness.spec("/f"), received)
            let model: any Downloadable =
                isObject ? map : Episode(downloadSpec: harness.spec("/f"), received: received, name: "object")
            let download = try await model.download(with: manager)
            _ = try await download.finished()
            try await download.remove()
            #expect(received.words == ["added", "started", "finished", "removed"].map { "object \($0)" })
            #expect(map.name == "object")
        }
    }

    @Test("every model of a download hears, not the last one alone (T10)")
    func twoModels() async throws {
        try await ManagerTrial.run(["/f": Self.stalls]) { harness in
            let manager = try harness.manager
            let received = Received()
            let first = Map(harness.spec("/f"), received, name: "first")
            let second = Map(harness.spec("/f"), received, name: "second")
            let download = try await first.download(with: manager)
            try await download.until(bytes: 200_000)
            try await second.download(with: manager)
            try await second.bind(to: manager)
            try await download.pause()
            #expect(received.words == ["first added", "first started", "first paused", "second paused"])
            #expect(first.name + second.name == "firstsecond")
        }
    }

    @Test("after a relaunch it is bound again (U20)")
    func rebind() async throws {
        try await ManagerTrial.run(["/f": Self.stalls]) { harness in
            let received = Received()
            let model = Episode(downloadSpec: harness.spec("/f"), received: received)
            let id = try await model.download(with: try harness.manager).id
            try await harness.manager.download(id)?.until(bytes: 200_000)
            await harness.close()
            harness.server.set("/f", Self.file)
            let manager = try await harness.launch { $0.resumesAtLaunch = false }
            try await model.bind(to: manager)
            try await manager.resume(id)
            _ = try await manager.download(id)?.finished()
            #expect(received.words.suffix(3) == ["model resumed", "model started", "model finished"])
            #expect(await model.isDownloaded(in: manager))
        }
    }

    @Test("an object is not kept alive for what it would hear (T24)")
    func notKept() async throws {
        try await ManagerTrial.run(["/f": Self.stalls]) { harness in
            let manager = try harness.manager
            weak var gone: Map?
            let received = Received()
            do {
                let map = Map(harness.spec("/f"), received)
                gone = map
                try await map.download(with: manager).until(bytes: 200_000)
            }
            #expect(gone == nil)
            let before = received.words
            try await manager.pause(.all)
            #expect(received.words == before)
        }
    }

    @Test(
        "the model hears first, then observers, then hook commands, which have ended when the manager has closed (U19)")
    func order() async throws {
        let received = Received()
        let folder = try TemporaryFolder()
        let command = try HookCommand(
            on: [.added, .completed, .idle],
            arguments: [
                "/bin/sh", "-c", "echo \"$HAUL_EVENT $HAUL_PATH\" >> \(folder.path)/hooks",
            ])
        try await ManagerTrial.run(["/f": Self.file], { $0.settings.hooks = [command] }) { harness in
            let manager = try harness.manager
            let subscription = Task {
                for try await event in manager.events(since: 0) where event.kind.isNumbered {
                    received.note("observer \(event.kind.word)")
                    if event.kind.word == "finished" { return }
                }
            }
            let model = Witness(downloadSpec: harness.spec("/f"), received: received, hooks: folder.path("hooks"))
            _ = try await model.download(with: manager).finished()
            try await subscription.value
            await manager.idle()
            await harness.close()
        }
        for word in ["added", "started", "finished"] {
            let model = try #require(received.words.firstIndex(of: "model \(word)"))
            let observer = try #require(received.words.firstIndex(of: "observer \(word)"))
            #expect(model < observer)
        }
        #expect(!received.words.contains("too late"))
        let lines = String(decoding: folder.bytes("hooks") ?? [], as: UTF8.self).split(separator: "\n")
        #expect(lines.map { $0.split(separator: " ").first } == ["added", "completed", "idle"])
        #expect(lines.count == 3 && lines[1].hasSuffix("/f"))
    }
}

/// A model that looks whether a hook command has run before it was told.
private struct Witness: Downloadable {
    let downloadSpec: DownloadSpec
    let received: Received
    let hooks: String

    func downloadDidChange(_ event: DownloadEvent) {
        guard event.kind.isNumbered else { return }
        let lines = FileManager.default.contents(atPath: hooks).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let early = event.kind.word == "added" ? lines.contains("added") : lines.contains("completed")
        if early { received.note("too late") }
        received.note("model \(event.kind.word)")
    }
}
