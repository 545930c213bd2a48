import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal

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
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            #expect(await Self.open(harness.path("list.sqlite")) == .catalogueBusy)
            _ = try await harness.manager.add(harness.spec("/f")).finished()
            await harness.close()
            #expect(await Self.open(harness.path("list.sqlite")) == nil)
        }
    }

    @Test("the list of a manager that was dropped without being closed: the error says that this process has it")
    func dropped() async throws {
        let folder = try TemporaryFolder()
        let configuration = ManagerConfiguration(storage: .file(path: folder.path("list.sqlite")))
        var manager: DownloadManager? = try await DownloadManager(configuration)
        let backend = try #require(manager?.local)
        manager = nil
        let error = await #expect(throws: DownloadError.self) { try await DownloadManager(configuration) }
        #expect(error?.code == .catalogueBusy)
        #expect(error?.message.contains("this process") == true)
        await backend.close()
        #expect(await Self.open(folder.path("list.sqlite")) == nil)
    }

    @Test("a garbled list is set aside and said so; an empty one takes its place and works")
    func garbled() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            #expect(try harness.manager.openingNotice == nil)
            _ = try await harness.manager.add(harness.spec("/f")).finished()
            await harness.close()
            let garbage = Array("no database at all".utf8)
            try harness.folder.put(garbage, "list.sqlite")
            let manager = try await harness.launch()
            #expect(manager.openingNotice?.contains("list.sqlite.bad-1") == true)
            #expect(try await manager.snapshots() == [])
            #expect(harness.bytes("list.sqlite.bad-1") == garbage)
            _ = try await manager.add(harness.spec("/f", "g")).finished()
            #expect(harness.names == ["f", "g"])
        }
    }

    @Test("a list of a newer version is refused and not touched")
    func newer() async throws {
        try await ManagerTrial.run([:]) { harness in
            _ = try await harness.manager.add(harness.spec("/f") { $0.startsPaused = true })
            await harness.close()
            var bytes = try #require(harness.bytes("list.sqlite"))
            // The version of the layout: SQLite's file format, section 1.3, offset 60.
            bytes.replaceSubrange(60..<64, with: [0, 0, 0, 99])
            try harness.folder.put(bytes, "list.sqlite")
            let names = harness.folder.names
            #expect(await Self.open(harness.path("list.sqlite")) == .catalogueFailed)
            #expect(harness.bytes("list.sqlite") == bytes)
            #expect(harness.folder.names == names)
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
