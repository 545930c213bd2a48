import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Where files go", .usesSockets)
struct PlaceTests {
    static let file = Resource.file(seed: 63, size: 400_000)
    static let old: [UInt8] = Array("what stood there before".utf8)

    @Test("what stands under the final name is whole until the end, and the partial has a name of its own (U9, T23)")
    func finalNameLast() async throws {
        try await ManagerTrial.run(["/a": Self.file.script { _ in .stall(after: 200_000) }]) { harness in
            try harness.folder.put(Self.old, "a")
            let download = try await harness.manager.add(harness.spec("/a") { $0.onConflict = .replace })
            try await download.until(bytes: 200_000)
            #expect(harness.bytes("a") == Self.old)
            #expect(harness.names == ["a", "a.part", "a.part.haul"])
            try await download.pause()
            #expect(harness.bytes("a") == Self.old)
            harness.server.set("/a", Self.file)
            try await download.resume()
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
            #expect(harness.names == ["a"])
        }
    }

    @Test("the partial stands in another folder where one is given, also after a relaunch (U9)")
    func partialFolder() async throws {
        try await ManagerTrial.run(["/a": Self.file.script { _ in .stall(after: 200_000) }]) { harness in
            try FileManager.default.createDirectory(atPath: harness.path("parts"), withIntermediateDirectories: false)
            let id = try await harness.manager.add(harness.spec("/a") { $0.partialFolder = harness.path("parts") }).id
            let download = try #require(try await harness.manager.download(id))
            try await download.until(bytes: 200_000)
            #expect(harness.names == ["parts"])
            let inside = try FileManager.default.contentsOfDirectory(atPath: harness.path("parts")).sorted()
            #expect(inside.count == 2 && inside[0].hasSuffix(".part") && inside[1] == inside[0] + ".haul")
            harness.server.set("/a", Self.file)
            await harness.close()
            try await harness.launch()
            let again = try #require(try await harness.manager.download(id))
            #expect(try await again.finished().sessionBytes == 200_000)
            #expect(harness.names == ["a", "parts"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: harness.path("parts")) == [])
        }
    }

    @Test("a file, a folder with the server's name or the URL's, a hash of the URL (U10)")
    func kinds() async throws {
        let named = Self.file.contentDisposition("attachment; filename=\"../named.bin\"")
        try await ManagerTrial.run(["/a.b.zip": Self.file, "/named": named]) { harness in
            let folder = harness.folder.path
            let all = try await harness.add([
                harness.spec("/a.b.zip", "my own.zip"),
                harness.spec("/a.b.zip") { $0.destination = .folder(path: folder) },
                harness.spec("/named") { $0.destination = .folder(path: folder) },
                harness.spec("/a.b.zip") { $0.destination = .hashed(folder: folder) },
            ])
            let hash = try Digests.sha256(Array(harness.server.url("/a.b.zip").utf8)).hex
            let names = ["my own.zip", "a.b.zip", "named.bin", "\(hash).zip"]
            for (download, name) in zip(all, names) {
                #expect(try await download.finished().path == harness.path(name))
                #expect(try await download.snapshot.path == harness.path(name))
            }
            #expect(harness.names == names.sorted())
        }
    }

    @Test("a file that is there is never touched unasked, and that is told before a byte is fetched (U11, T6)")
    func exists() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            try harness.folder.put(Self.old, "a")
            let download = try await harness.manager.add(harness.spec("/a"))
            #expect(await download.failure() == .destinationExists)
            #expect(harness.server.log.requests.isEmpty)
            #expect(harness.bytes("a") == Self.old)
            #expect(harness.names == ["a"])
            try FileManager.default.removeItem(atPath: harness.path("a"))
            try await download.retry()
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
        }
    }

    @Test("replace, rename and keep do what they are called (U11)")
    func policies() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            for name in ["replaced", "renamed.txt", "other"] { try harness.folder.put(Self.old, name) }
            try harness.folder.put(Self.file.allBytes, "kept")
            let sum = try Digests.sha256(Self.file.allBytes)
            let all = try await harness.add([
                harness.spec("/a", "replaced") { $0.onConflict = .replace },
                harness.spec("/a", "renamed.txt") { $0.onConflict = .rename },
                harness.spec("/a", "kept") { ($0.onConflict, $0.checksum) = (.keep, sum) },
                harness.spec("/a", "other") { ($0.onConflict, $0.checksum) = (.keep, sum) },
            ])
            let names = ["replaced", "renamed (1).txt", "kept", "other"]
            for (download, name) in zip(all, names) {
                let facts = try await download.finished()
                #expect(facts.path == harness.path(name))
                #expect(facts.kept == (name == "kept"))
                #expect(harness.bytes(name) == Self.file.allBytes)
            }
            #expect(harness.bytes("renamed.txt") == Self.old)
            #expect(harness.server.requests("/a").count == 3)
        }
    }

    @Test("names that differ only behind or before a dot never share a file (T17)")
    func alike() async throws {
        let names = ["a.b.zip", "a.c.zip", "movie.mp4", "movie.mp3"]
        let files = Dictionary(
            uniqueKeysWithValues: names.enumerated().map { index, name in
                ("/\(name)", Resource.file(seed: UInt64(index), size: 300_000).script { _ in .stall(after: 100_000) })
            })
        try await ManagerTrial.run(files, { $0.settings.limit = nil }) { harness in
            let all = try await harness.add(names.map { harness.spec("/\($0)") })
            for download in all { try await download.until(bytes: 100_000) }
            #expect(harness.names.count == 8)
            for download in all { try await download.pause() }
            for (index, name) in names.enumerated() {
                harness.server.set("/\(name)", Resource.file(seed: UInt64(index), size: 300_000))
                try await all[index].resume()
                #expect(try await all[index].finished().sessionBytes == 200_000)
                #expect(harness.bytes(name) == Resource.file(seed: UInt64(index), size: 300_000).allBytes)
            }
        }
    }

    @Test("what is on-going can be listed, and one or all finished files deleted (U29)")
    func listAndDelete() async throws {
        let stalls = Self.file.script { _ in .stall(after: 200_000) }
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file, "/c": Self.file, "/d": stalls]) { harness in
            let manager = try harness.manager
            let all = try await harness.add(["/a", "/b", "/c", "/d"].map { harness.spec($0) })
            for download in all[..<3] { _ = try await download.finished() }
            try await all[3].until(bytes: 200_000)
            #expect(try await manager.snapshots(.state(.running, .waiting)).map(\.id) == [all[3].id])
            try await all[1].remove(files: .all)
            #expect(harness.names == ["a", "c", "d.part", "d.part.haul"])
            #expect(try await manager.remove(.state(.finished), files: .all) == 2)
            #expect(harness.names == ["d.part", "d.part.haul"])
            #expect(try await manager.snapshots().map(\.id) == [all[3].id])
        }
    }

    @Test("removing a record leaves the finished file unless asked otherwise", arguments: RemovedFiles.allCases)
    func remove(files: RemovedFiles) async throws {
        let stalls = Self.file.script { _ in .stall(after: 200_000) }
        try await ManagerTrial.run(["/a": Self.file, "/b": stalls]) { harness in
            let manager = try harness.manager
            let all = try await harness.add([harness.spec("/a"), harness.spec("/b")])
            _ = try await all[0].finished()
            try await all[1].until(bytes: 200_000)
            let waiter = Task { await all[1].failure() }
            for download in all { try await download.remove(files: files) }
            let names = (files == .all ? [] : ["a"]) + (files == .none ? ["b.part", "b.part.haul"] : [])
            #expect(harness.names == names)
            #expect(await waiter.value == .noSuchDownload)
            #expect(await manager.allEvents().suffix(2).map(\.kind) == [.removed(files), .removed(files)])
        }
    }

    @Test("what the file system refuses reaches the caller, typed (U17, T24)")
    func fileErrors() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let missing = try await harness.manager.add(harness.spec("/a", "nowhere/a"))
            #expect(await missing.failure() == .fileFailed)
            guard case .failed(let error)? = await missing.emitted.last else {
                Issue.record("not told")
                return
            }
            #expect(error.message.contains("nowhere"))
            let taken = try await harness.manager.add(
                harness.spec("/a", "folder") { spec in
                    spec.onConflict = .replace
                    try? FileManager.default.createDirectory(
                        atPath: harness.path("folder"), withIntermediateDirectories: false)
                })
            #expect(await taken.failure() == .fileFailed)
            #expect(harness.server.log.requests.isEmpty)
        }
    }
}
