import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Downloads whose files have one name", .usesSockets)
struct SameNameTests {
    static let first = Resource.file(seed: 74, size: 400_000)
    static let second = Resource.file(seed: 75, size: 400_000)

    /// How the other download is got rid of.
    enum Parting: CaseIterable {
        case remove
        case removeAll
        case cancel
        case retry

        func part(from download: Download) async throws {
            switch self {
            case .remove: try await download.remove()
            case .removeAll: try await download.remove(files: .all)
            case .cancel: try await download.cancel(keepPartial: false)
            case .retry:
                try await download.retry(fromStart: true)
                #expect(await download.failure() == .destinationBusy)
            }
        }
    }

    /// Has two downloads of one name at work, the first of which is half-way.
    static func two(
        _ policy: ConflictPolicy = .fail, _ body: (ManagerTrial, Download, DownloadSpec) async throws -> Void
    ) async throws {
        let stalls = first.script { _ in .stall(after: 200_000) }
        try await ManagerTrial.run(["/a/f": stalls, "/b/f": second], { $0.settings.limit = nil }) { harness in
            let folder = Destination.folder(path: harness.folder.path)
            let download = try await harness.manager.add(harness.spec("/a/f") { $0.destination = folder })
            try await download.until(bytes: 200_000)
            let other = harness.spec("/b/f") { ($0.destination, $0.onConflict) = (folder, policy) }
            try await body(harness, download, other)
            harness.server.set("/a/f", first)
            try await download.resume()
            #expect(try await download.finished().sessionBytes == 200_000)
            #expect(
                try harness.bytes(
                    String(#require(await download.snapshot.path).dropFirst(harness.folder.path.count + 1)))
                    == first.allBytes)
        }
    }

    @Test("one that lost the name takes nothing with it", arguments: Parting.allCases)
    func parting(_ parting: Parting) async throws {
        try await Self.two { harness, download, other in
            let loser = try await harness.manager.add(other)
            #expect(await loser.failure() == .destinationBusy)
            try await download.pause()
            try await parting.part(from: loser)
            #expect(harness.names == ["f.part", "f.part.haul"])
        }
    }

    @Test("one that starts while the other is paused leaves its partial", arguments: [ConflictPolicy.fail, .replace])
    func starting(policy: ConflictPolicy) async throws {
        try await Self.two(policy) { harness, download, other in
            try await download.pause()
            let loser = try await harness.manager.add(other)
            #expect(await loser.failure() == .destinationBusy)
            #expect(harness.names == ["f.part", "f.part.haul"])
        }
    }

    @Test("with rename both are fetched")
    func renaming() async throws {
        try await Self.two(.rename) { harness, download, other in
            try await download.pause()
            let facts = try await harness.manager.add(other).finished()
            #expect(facts.path == harness.path("f (1)"))
            #expect(harness.bytes("f (1)") == Self.second.allBytes)
        }
    }

    @Test("one that has finished takes no partial of another one with it", arguments: RemovedFiles.allCases)
    func finished(files: RemovedFiles) async throws {
        let stalls = Self.second.script { _ in .stall(after: 200_000) }
        try await ManagerTrial.run(["/a": Self.first, "/b": stalls]) { harness in
            let old = try await harness.manager.add(harness.spec("/a", "f"))
            _ = try await old.finished()
            let new = try await harness.manager.add(harness.spec("/b", "f") { $0.onConflict = .replace })
            try await new.until(bytes: 200_000)
            try await new.pause()
            try await old.remove(files: files)
            #expect(harness.names == (files == .all ? [] : ["f"]) + ["f.part", "f.part.haul"])
            harness.server.set("/b", Self.second)
            try await new.resume()
            #expect(try await new.finished().sessionBytes == 200_000)
            #expect(harness.bytes("f") == Self.second.allBytes)
        }
    }

    @Test(
        "a partial file that no download of the list has any more is resumed from another URL of the same file, and kept otherwise"
    )
    func left() async throws {
        let stalls = Self.first.script { _ in .stall(after: 200_000) }
        try await ManagerTrial.run(["/a": stalls, "/b": Self.second, "/c": Self.first]) { harness in
            let old = try await harness.manager.add(harness.spec("/a", "f"))
            try await old.until(bytes: 200_000)
            try await old.pause()
            try await old.remove(files: .none)
            #expect(harness.names.contains("f.part"))
            let other = try await harness.manager.add(harness.spec("/b", "f"))
            _ = try await other.finished()
            #expect(harness.bytes("f") == Self.second.allBytes && harness.names.contains("f.part"))
            try await other.remove(files: .all)
            let same = try await harness.manager.add(harness.spec("/c", "f"))
            #expect(try await same.finished().sessionBytes == Int64(Self.first.allBytes.count) - 200_000)
            #expect(harness.bytes("f") == Self.first.allBytes)
        }
    }
}
