import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("A removal takes no file that is not the download's own", .usesSockets)
struct RemovalTests {
    static let file = Resource.file(seed: 42, size: 2_000_000)

    @Test("what stood under the name before stays until the download has finished", arguments: [true, false])
    func replaced(isRunning: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file], throttle: 500_000) { harness in
            try Data("mine".utf8).write(to: URL(filePath: harness.path("f")))
            var spec = harness.spec("/f")
            spec.onConflict = .replace
            let download = try await harness.manager.add(spec)
            for try await event in download.events {
                if case .progress(let progress) = event.kind, progress.fileBytes > 0 { break }
            }
            if !isRunning { try await download.pause() }
            try await download.remove(files: .all)
            #expect(harness.bytes("f") == Array("mine".utf8))
            #expect(harness.names == ["f"])
        }
    }

    @Test(
        "a file that has taken the place of the download's own stays, and goes with its own download",
        arguments: [true, false])
    func displaced(isRelaunched: Bool) async throws {
        let other = Resource.file(seed: 43, size: 2_000_000)
        try await ManagerTrial.run(["/f": Self.file, "/g": other]) { harness in
            let first = try await harness.manager.add(harness.spec("/f"))
            _ = try await first.finished()
            let second = try await harness.manager.add(harness.spec("/g", "f") { $0.onConflict = .replace })
            _ = try await second.finished()
            if isRelaunched {
                await harness.close()
                try await harness.launch()
            }
            try await harness.manager.remove(first.id, files: .all)
            #expect(harness.bytes("f") == other.allBytes)
            try await harness.manager.remove(second.id, files: .all)
            #expect(harness.names == [])
        }
    }

    @Test("a file that was kept is the user's")
    func kept() async throws {
        let sum = try Digests.sha256(Self.file.allBytes)
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            try harness.folder.put(Self.file.allBytes, "f")
            let download = try await harness.manager.add(
                harness.spec("/f") { ($0.onConflict, $0.checksum) = (.keep, sum) })
            #expect(try await download.finished().kept)
            try await download.remove(files: .all)
            #expect(harness.names == ["f"])
        }
    }

    @Test(
        "a retry of a finished download fetches it again and replaces its own file",
        arguments: ConflictPolicy.allCases, [false, true])
    func again(policy: ConflictPolicy, fromStart: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let download = try await harness.manager.add(harness.spec("/f") { $0.onConflict = policy })
            let first = try await download.finished()
            try await download.retry(fromStart: fromStart)
            let second = try await download.finished()
            #expect(second.sessionBytes == 2_000_000)
            #expect(first.file != nil && second.file != nil)
            #expect(harness.names == ["f"])
            try await download.remove(files: .all)
            #expect(harness.names == [])
        }
    }

    @Test("a file that has taken its place is not replaced by a retry", arguments: [false, true])
    func againOverAnother(fromStart: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            _ = try await download.finished()
            // Of the same size: only the inode tells them apart.
            try harness.folder.put(Array(repeating: 7, count: 2_000_000), "other")
            try FileManager.default.removeItem(atPath: harness.path("f"))
            try FileManager.default.moveItem(atPath: harness.path("other"), toPath: harness.path("f"))
            try await download.retry(fromStart: fromStart)
            #expect(await download.failure() == .destinationExists)
            try await download.remove(files: .all)
            #expect(harness.bytes("f") == Array(repeating: 7, count: 2_000_000))
        }
    }

    @Test("a finished file that was changed in place is not replaced or removed", arguments: [false, true])
    func changedInPlace(isRemoved: Bool) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            _ = try await download.finished()
            // The same inode and the same size.
            let handle = try FileHandle(forWritingTo: URL(filePath: harness.path("f")))
            try handle.write(contentsOf: Data(repeating: 7, count: 2_000_000))
            try handle.close()
            if isRemoved {
                try await download.remove(files: .all)
            } else {
                try await download.retry()
                #expect(await download.failure() == .destinationExists)
            }
            #expect(harness.bytes("f") == Array(repeating: 7, count: 2_000_000))
        }
    }

    @Test("a numbered name that is taken during the download becomes the next number, not a number of a number")
    func numberedTwice() async throws {
        try await ManagerTrial.run(["/f": Self.file], throttle: 1_000_000) { harness in
            try harness.folder.put([1], "f")
            let download = try await harness.manager.add(harness.spec("/f") { $0.onConflict = .rename })
            try await download.until(bytes: 100_000)
            try harness.folder.put([2], "f (1)")
            #expect(try await download.finished().path == harness.path("f (2)"))
            #expect(harness.names == ["f", "f (1)", "f (2)"])
        }
    }

    @Test("a retry that was not finished leaves the file of the earlier run, which a removal with all files takes")
    func unfinishedAgain() async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            _ = try await download.finished()
            harness.server.set("/f", Self.file.script { _ in .stall(after: 200_000) })
            try await download.retry()
            try await download.until(bytes: 200_000)
            try await download.pause()
            await harness.close()
            try await harness.launch()
            #expect(harness.bytes("f") == Self.file.allBytes)
            try await harness.manager.remove(download.id, files: .all)
            #expect(harness.names == [])
        }
    }

    @Test("a finished file goes with it when that is asked, and only then", arguments: RemovedFiles.allCases)
    func finished(files: RemovedFiles) async throws {
        try await ManagerTrial.run(["/f": Self.file]) { harness in
            let download = try await harness.manager.add(harness.spec("/f"))
            _ = try await download.finished()
            try await download.remove(files: files)
            #expect(harness.names == (files == .all ? [] : ["f"]))
        }
    }

    @Test("a file that can't be removed is an error of the command, which is carried out", arguments: [true, false])
    func failed(isBulk: Bool) async throws {
        let hook: SystemCalls.Hook = { call in
            if case .unlink(let path) = call, path.hasSuffix("/f") { return .fail(30) }
            return .proceed
        }
        try await ManagerTrial.run(["/f": Self.file, "/g": Self.file], hook: hook) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/f"))
            let other = try await manager.add(harness.spec("/g"))
            _ = try await (download.finished(), other.finished())
            let error = await #expect(throws: DownloadError.self) {
                if isBulk {
                    try await manager.remove(.all, files: .all)
                } else {
                    try await download.remove(files: .all)
                }
            }
            #expect(error?.code == .fileFailed && error?.message.contains("not all files") == true)
            #expect(harness.names == (isBulk ? ["f"] : ["f", "g"]))
            #expect(try await manager.count() == (isBulk ? 0 : 1))
        }
    }
}
