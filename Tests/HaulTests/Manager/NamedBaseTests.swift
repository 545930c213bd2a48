import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Named bases", .usesSockets)
struct NamedBaseTests {
    private static let file = Resource.file(seed: 91, size: 2_000_000)
    private static let stalls = file.script { _ in .stall(after: 1_000_000) }

    /// Runs `body` with the folder of an app's container, which it may rename.
    private static func make(_ harness: ManagerTrial) throws -> String {
        for name in ["one", "one/in", "one/parts"] {
            try FileManager.default.createDirectory(atPath: harness.path(name), withIntermediateDirectories: true)
        }
        return harness.path("one")
    }

    @Test(
        "an unfinished download in a container that has moved continues where it was",
        arguments: [true, false], [true, false])
    func moves(isKilled: Bool, hasPartialFolder: Bool) async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { harness in
            let container = try Self.make(harness)
            await harness.close()
            let manager = try await harness.launch { $0.bases = [NamedBase("app", path: container)] }
            var spec = harness.spec("/a")
            spec.destination = .folder(path: "\(container)/in")
            if hasPartialFolder { spec.partialFolder = "\(container)/parts" }
            let download = try await manager.add(spec)
            try await download.until(bytes: 1_000_000)
            if isKilled { await harness.kill() } else { await harness.close() }
            try FileManager.default.moveItem(atPath: container, toPath: harness.path("two"))
            harness.server.set("/a", Self.file)

            let moved = harness.path("two")
            let next = try await harness.launch { $0.bases = [NamedBase("app", path: moved)] }
            let facts = try await #require(try await next.download(download.id)).finished()
            #expect(facts.path == "\(moved)/in/a" && facts.sessionBytes == 1_000_000)
            #expect(try Array(Data(contentsOf: URL(filePath: facts.path))) == Self.file.allBytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(moved)/in") == ["a"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: "\(moved)/parts") == [])
        }
    }

    @Test("a finished file in a container that has moved is the download's: it is not downloaded again, and is removed")
    func finished() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let container = try Self.make(harness)
            await harness.close()
            let manager = try await harness.launch { $0.bases = [NamedBase("app", path: container)] }
            var spec = harness.spec("/a")
            spec.destination = .folder(path: container)
            let download = try await manager.add(spec)
            _ = try await download.finished()
            await harness.close()
            try FileManager.default.moveItem(atPath: container, toPath: harness.path("two"))

            let moved = harness.path("two")
            let next = try await harness.launch { $0.bases = [NamedBase("app", path: moved)] }
            let requests = harness.server.log.requests.count
            spec.destination = .folder(path: moved)
            let again = try await next.add(spec)
            #expect(again.id == download.id)
            #expect(try await again.finished().path == "\(moved)/a")
            #expect(harness.server.log.requests.count == requests)
            try await again.remove(files: .all)
            #expect(!FileManager.default.fileExists(atPath: "\(moved)/a"))
        }
    }

    @Test("invalid bases are refused by name")
    func invalid() async throws {
        for (bases, text) in [
            ([NamedBase("", path: "/a")], "empty identifier"),
            ([NamedBase("x", path: "/a"), NamedBase("x", path: "/b")], "called x"),
            ([NamedBase("x", path: "a")], "absolute"), ([NamedBase("x", path: "/")], "absolute"),
        ] {
            var configuration = ManagerConfiguration(storage: .inMemory)
            configuration.bases = bases
            let error = await #expect(throws: DownloadError.self) { try await DownloadManager(configuration) }
            #expect(error?.code == .invalidRequest && error?.message.contains(text) == true)
        }
    }

    @Test("the system's folders are absolute, and have different names")
    func system() {
        let bases: [NamedBase] = [.documents, .caches, .applicationSupport]
        #expect(bases.allSatisfy { $0.path.hasPrefix("/") })
        #expect(Set(bases.map(\.identifier)).count == 3)
    }
}
