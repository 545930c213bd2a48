import Foundation
import Haul
import HaulCore
import HaulTesting
import Testing

@Suite("A removal takes no file that is not the download's own", .usesSockets)
struct RemovalTests {
    static let file = Resource.file(seed: 42, size: 2_000_000)

    @Test("what stood under the name before stays until the download has finished", arguments: [true, false])
    func replaced(isRunning: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file], throttle: 500_000) { mine in
            try Data("mine".utf8).write(to: URL(filePath: mine.path("f")))
            var spec = mine.spec("/f")
            spec.onConflict = .replace
            let download = try await mine.manager.add(spec)
            for await event in download.events {
                if case .progress(let progress) = event.kind, progress.fileBytes > 0 { break }
            }
            if !isRunning { try await download.pause() }
            try await download.remove(files: .all)
            #expect(mine.bytes("f") == Array("mine".utf8))
            #expect(mine.names == ["f"])
        }
    }

    @Test(
        "a file that has taken the place of the download's own stays, and goes with its own download",
        arguments: [true, false])
    func displaced(isRelaunched: Bool) async throws {
        let other = Resource.file(seed: 43, size: 2_000_000)
        try await ManagerTrial.run(["/f": Self.file, "/g": other]) { mine in
            let first = try await mine.manager.add(mine.spec("/f"))
            _ = try await first.finished()
            let second = try await mine.manager.add(mine.spec("/g", "f") { $0.onConflict = .replace })
            _ = try await second.finished()
            if isRelaunched {
                await mine.close()
                try await mine.launch()
            }
            try await mine.manager.remove(first.id, files: .all)
            #expect(mine.bytes("f") == other.allBytes)
            try await mine.manager.remove(second.id, files: .all)
            #expect(mine.names == [])
        }
    }

    @Test("a file that was kept is the user's")
    func kept() async throws {
        let sum = try Digests.sha256(Self.file.allBytes)
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            try mine.folder.put(Self.file.allBytes, "f")
            let download = try await mine.manager.add(mine.spec("/f") { ($0.onConflict, $0.checksum) = (.keep, sum) })
            #expect(try await download.finished().kept)
            try await download.remove(files: .all)
            #expect(mine.names == ["f"])
        }
    }

    @Test(
        "a retry of a finished download fetches it again and replaces its own file",
        arguments: ConflictPolicy.allCases, [false, true])
    func again(policy: ConflictPolicy, fromStart: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            let download = try await mine.manager.add(mine.spec("/f") { $0.onConflict = policy })
            let first = try await download.finished()
            try await download.retry(fromStart: fromStart)
            let second = try await download.finished()
            #expect(second.sessionBytes == 2_000_000)
            #expect(first.file != nil && second.file != nil)
            #expect(mine.names == ["f"])
            try await download.remove(files: .all)
            #expect(mine.names == [])
        }
    }

    @Test("a file that has taken its place is not replaced by a retry", arguments: [false, true])
    func againOverAnother(fromStart: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            let download = try await mine.manager.add(mine.spec("/f"))
            _ = try await download.finished()
            // Of the same size: only the inode tells them apart.
            try mine.folder.put(Array(repeating: 7, count: 2_000_000), "other")
            try FileManager.default.removeItem(atPath: mine.path("f"))
            try FileManager.default.moveItem(atPath: mine.path("other"), toPath: mine.path("f"))
            try await download.retry(fromStart: fromStart)
            #expect(await download.failure() == .destinationExists)
            try await download.remove(files: .all)
            #expect(mine.bytes("f") == Array(repeating: 7, count: 2_000_000))
        }
    }

    @Test("a finished file that was changed in place is not replaced or removed", arguments: [false, true])
    func changedInPlace(isRemoved: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            let download = try await mine.manager.add(mine.spec("/f"))
            _ = try await download.finished()
            // The same inode and the same size.
            let handle = try FileHandle(forWritingTo: URL(filePath: mine.path("f")))
            try handle.write(contentsOf: Data(repeating: 7, count: 2_000_000))
            try handle.close()
            if isRemoved {
                try await download.remove(files: .all)
            } else {
                try await download.retry()
                #expect(await download.failure() == .destinationExists)
            }
            #expect(mine.bytes("f") == Array(repeating: 7, count: 2_000_000))
        }
    }

    @Test("a numbered name that is taken during the download becomes the next number, not a number of a number")
    func numberedTwice() async throws {
        try await ManagerTrial.run(["/f": Self.file], throttle: 1_000_000) { mine in
            try mine.folder.put([1], "f")
            let download = try await mine.manager.add(mine.spec("/f") { $0.onConflict = .rename })
            try await download.until(bytes: 100_000)
            try mine.folder.put([2], "f (1)")
            #expect(try await download.finished().path == mine.path("f (2)"))
            #expect(mine.names == ["f", "f (1)", "f (2)"])
        }
    }

    @Test("a retry that was not finished leaves the file of the earlier run, which a removal with all files takes")
    func unfinishedAgain() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            let download = try await mine.manager.add(mine.spec("/f"))
            _ = try await download.finished()
            mine.server.set("/f", Self.file.script { _ in .stall(after: 200_000) })
            try await download.retry()
            try await download.until(bytes: 200_000)
            try await download.pause()
            await mine.close()
            try await mine.launch()
            #expect(mine.bytes("f") == Self.file.allBytes)
            try await mine.manager.remove(download.id, files: .all)
            #expect(mine.names == [])
        }
    }

    @Test("a finished file goes with it when that is asked, and only then", arguments: RemovedFiles.allCases)
    func finished(files: RemovedFiles) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { mine in
            let download = try await mine.manager.add(mine.spec("/f"))
            _ = try await download.finished()
            try await download.remove(files: files)
            #expect(mine.names == (files == .all ? [] : ["f"]))
        }
    }
}
