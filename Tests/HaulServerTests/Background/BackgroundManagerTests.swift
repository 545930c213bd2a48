import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulClient
@testable import HaulManager

@Suite("Background managers", .usesSockets)
struct BackgroundManagerTests {
    static let file = Resource.file(seed: 92, size: 200_000)
    static let stalls = file.script { _ in .stall(after: 100_000) }

    private static func spec(_ trial: ServedTrial, _ path: String) -> DownloadSpec {
        var spec = DownloadSpec(url: trial.server.url(path), destination: .file(path: trial.root + path))
        spec.connections = .fixed(1)
        return spec
    }

    /// The finished ones among what a program has not seen, up to an event that was added last.
    private static func finished(_ manager: DownloadManager, until last: DownloadID) async -> [DownloadID] {
        var found: [DownloadID] = []
        for await event in manager.unseenEvents.uncancelled {
            if case .finished = event.kind { found.append(event.download) }
            if event.download == last, case .added = event.kind { break }
        }
        return found
    }

    @Test("the downloads go on without the program; the next one finds them by key and is told each end once (U24)")
    func relaunch() async throws {
        try await ServedTrial.run(["/a": Self.file, "/b": Self.file, "/m": Self.file]) { trial in
            try await trial.program { manager in
                #expect(manager.capabilities.contains([.background, .persistent]))
                #expect(!manager.capabilities.contains(.hooks))
                let specs = ["/a", "/b"].map { path in
                    var spec = Self.spec(trial, path)
                    spec.key = path
                    return spec
                }
                let added = try await manager.add(contentsOf: specs)
                #expect(added.count == 2)
            }
            // No program is there: the daemon works on.
            await trial.manager.idle()
            try await trial.program { manager in
                let a = try #require(try await manager.download(key: "/a"))
                #expect(try await a.state.kind == .finished)
                var mark = Self.spec(trial, "/m")
                mark.startsPaused = true
                let marked = try await manager.add(mark)
                #expect(
                    Set(await Self.finished(manager, until: marked.id))
                        == Set(try await manager.snapshots(.state(.finished)).map(\.id)))
            }
            try await trial.program { manager in
                var mark = Self.spec(trial, "/m")
                (mark.key, mark.startsPaused) = ("second", true)
                let marked = try await manager.add(mark)
                #expect(await Self.finished(manager, until: marked.id) == [])
            }
        }
    }

    @Test("programs see their own downloads alone, and may use the same keys")
    func identifiers() async throws {
        try await ServedTrial.run(["/a": Self.file, "/b": Self.file]) { trial in
            try await trial.program("one") { one in
                try await trial.program("two") { two in
                    var (first, second) = (Self.spec(trial, "/a"), Self.spec(trial, "/b"))
                    (first.key, second.key) = ("same", "same")
                    let mine = try await one.add(first)
                    let yours = try await two.add(second)
                    #expect(mine.id != yours.id)
                    _ = try await mine.finished()
                    _ = try await yours.finished()
                    #expect(try await one.snapshots().map(\.id) == [mine.id])
                    #expect(try await one.download(yours.id) == nil)
                    #expect(try await one.download(key: "same") == mine)
                    #expect(try await one.summary().counts == [.finished: 1])
                    await #expect(throws: DownloadError.self) { try await one.remove(yours.id) }
                    #expect(try await two.remove(.all) == 1)
                    #expect(try await one.count() == 1)
                    for try await event in one.events(since: 0) where event.kind.isNumbered {
                        #expect(event.download == mine.id)
                        if case .finished = event.kind { break }
                    }
                }
            }
            // The daemon's own callers see both, told apart by a tag.
            let tags = try await trial.manager.snapshots().map(\.spec.tags)
            #expect(tags == [["app:one"]])
        }
    }

    @Test("what the daemon refuses is told unchanged, and what it can't do for a program is said before")
    func errors() async throws {
        try await ServedTrial.run(["/a": Self.file]) { trial in
            try await trial.program { manager in
                let outside = DownloadSpec(url: trial.server.url("/a"), destination: .file(path: "/outside/a"))
                let refused = try await manager.add(contentsOf: [outside])
                guard case .failure(let error) = refused[0] else {
                    Issue.record("a folder outside the roots was taken")
                    return
                }
                #expect(error.code == .invalidRequest && error.message.contains("roots"))
                var partials = Self.spec(trial, "/a")
                partials.partialFolder = trial.root
                await #expect(throws: DownloadError.self) { try await manager.add(partials) }
                var settings = try await manager.currentSettings
                settings.hooks = [try HookCommand(on: [.completed], arguments: ["true"])]
                await #expect(throws: DownloadError.self) { try await manager.update(settings) }
            }
        }
    }

    @Test("a removal by somebody else reaches who waits")
    func removedByOthers() async throws {
        try await ServedTrial.run(["/a": Self.stalls]) { trial in
            try await trial.program { manager in
                let download = try await manager.add(Self.spec(trial, "/a"))
                let waiting = Task { () -> DownloadError.Code? in
                    await HaulTesting.code { _ = try await download.finished() }
                }
                try await trial.until(download.id, .running)
                try await trial.manager.remove(download.id)
                let code = await waiting.value
                // A download at work is cancelled, then removed; of one that is gone already only the removal is told.
                #expect(code == .noSuchDownload || code == .cancelled)
            }
        }
    }

    @Test("what somebody else removes while no program looks is told to the program it was of, and to no other")
    func removedMeanwhile() async throws {
        try await ServedTrial.run(["/a": Self.file, "/b": Self.file]) { trial in
            var ids: [DownloadID] = []
            for (name, path) in [("mine", "/a"), ("other", "/b")] {
                try await trial.program(name) { ids.append(try await $0.add(Self.spec(trial, path)).id) }
            }
            await trial.manager.idle()
            for id in ids { try await trial.manager.remove(id) }
            for (name, id) in zip(["mine", "other"], ids) {
                try await trial.program(name) { manager in
                    var (kinds, others) = ([DownloadEvent.Kind](), 0)
                    for try await event in manager.missedEvents {
                        if event.download == id { kinds.append(event.kind) } else { others += 1 }
                    }
                    #expect(kinds.last == .removed(.partial) && others == 0)
                    #expect(kinds.contains { if case .finished = $0 { true } else { false } })
                }
                // Once is enough.
                try await trial.program(name) { manager in
                    for try await event in manager.missedEvents { Issue.record("told again: \(event)") }
                }
            }
        }
    }

    @Test("idle returns while a download waits for one that has failed", .timeLimit(.minutes(1)))
    func idleWithDependency() async throws {
        try await ServedTrial.run(["/b": Self.file]) { trial in
            try await trial.program { manager in
                let first = try await manager.add(Self.spec(trial, "/a"))
                var spec = Self.spec(trial, "/b")
                spec.after = [first.id]
                let second = try await manager.add(spec)
                let code = await HaulTesting.code { _ = try await first.finished() }
                #expect(code == .notFound)
                await manager.idle()
                #expect(try await second.state == .waiting(.dependency(first.id)))
                trial.server.set("/a", Self.file)
                try await first.retry()
                _ = try await second.finished()
                await manager.idle()
                #expect(try await first.state.kind == .finished)
            }
        }
    }

    @Test("many events of the past are told page by page, all of them and in order")
    func longReplay() async throws {
        try await ServedTrial.run { trial in
            try await trial.program { manager in
                let specs = (0..<1200).map { number in
                    var spec = Self.spec(trial, "/\(number)")
                    spec.startsPaused = true
                    return spec
                }
                let all = try await manager.add(contentsOf: specs).map { try $0.get().id }
                var received: [DownloadID] = []
                for try await event in manager.events(since: 0) {
                    received.append(event.download)
                    if event.download == all.last { break }
                }
                #expect(received == all)
            }
        }
    }

    @Test("a snapshot for one subscriber is not delivered to others, whose events are still on their way")
    func snapshotIsNoProgress() async throws {
        try await ServedTrial.run(["/a": Self.stalls]) { trial in
            try await trial.program { manager in
                let backend = try #require(manager.backend as? RemoteManager)
                await backend.hold()
                let download = try await manager.add(Self.spec(trial, "/a"))
                try await trial.until(download.id, .running)
                var events = download.events.makeAsyncIterator()
                guard case .snapshot(let snapshot) = try await events.next()?.kind else {
                    Issue.record("the first event is not a snapshot")
                    return
                }
                #expect(snapshot.state == .running)
                guard case .nothing = backend.hub.poll(after: 0, progressAfter: 0, of: nil) else {
                    Issue.record("others hear of a run before it has started")
                    return
                }
                await backend.release()
            }
        }
    }

    @Test("without a daemon it is said what to do")
    func noDaemon() async throws {
        let folder = try TemporaryFolder()
        var configuration = BackgroundConfiguration(identifier: "org.example")
        (configuration.socketPath, configuration.positionPath) = (folder.path("s"), folder.path("p"))
        configuration.programPath = folder.path("haul")
        do {
            _ = try await DownloadManager(configuration)
            Issue.record("there is a daemon")
        } catch {
            #expect(error.code == .connectionFailed && error.message.contains("HAUL_PATH"))
        }
        #expect(folder.names == [])
    }
}

extension RemoteManager {
    /// Holds events back until they are released, as while downloads are being added.
    fileprivate func hold() { holds += 1 }
}
