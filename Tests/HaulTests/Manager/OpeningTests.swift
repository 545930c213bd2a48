import Foundation
import Haul
import HaulCore
import HaulTesting
import Testing

@Suite("Opening a list", .usesSockets)
struct OpeningTests {
    static let file = Resource.file(seed: 73, size: 100_000)

    /// The code that a manager over the list ends with, nil where it opens; it is closed again.
    static func open(_ path: String) async -> DownloadError.Code? {
        await code { () throws(DownloadError) in
            await (try DownloadManager(ManagerConfiguration(storage: .file(path: path)))).close()
        }
    }

    @Test("one manager at a time; the other one is told, and the first goes on")
    func busy() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            #expect(await Self.open(mine.path("list.sqlite")) == .catalogueBusy)
            _ = try await mine.manager.add(mine.spec("/f")).finished()
            await mine.close()
            #expect(await Self.open(mine.path("list.sqlite")) == nil)
        }
    }

    @Test("a garbled list is set aside and said so; an empty one takes its place and works")
    func garbled() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            #expect(try mine.manager.openingNotice == nil)
            _ = try await mine.manager.add(mine.spec("/f")).finished()
            await mine.close()
            let garbage = Array("no database at all".utf8)
            try mine.folder.put(garbage, "list.sqlite")
            let manager = try await mine.launch()
            #expect(manager.openingNotice?.contains("list.sqlite.bad-1") == true)
            #expect(try await manager.snapshots() == [])
            #expect(mine.bytes("list.sqlite.bad-1") == garbage)
            _ = try await manager.add(mine.spec("/f", "g")).finished()
            #expect(mine.names == ["f", "g"])
        }
    }

    @Test("a list of a newer version is refused and not touched")
    func newer() async throws {
        try await ManagerTrial.run([:]) { mine in
            _ = try await mine.manager.add(mine.spec("/f") { $0.startsPaused = true })
            await mine.close()
            var bytes = try #require(mine.bytes("list.sqlite"))
            // The version of the layout: SQLite's file format, section 1.3, offset 60.
            bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
            try mine.folder.put(bytes, "list.sqlite")
            let names = mine.folder.names
            #expect(await Self.open(mine.path("list.sqlite")) == .catalogueFailed)
            #expect(mine.bytes("list.sqlite") == bytes)
            #expect(mine.folder.names == names)
        }
    }

    @Test("a folder that is not there, and a folder in its place, are refused")
    func impossible() async throws {
        let folder = try TemporaryFolder()
        #expect(await Self.open(folder.path("nowhere/list.sqlite")) == .catalogueFailed)
        #expect(await Self.open(folder.path) == .catalogueFailed)
        #expect(folder.names == [])
    }
}
