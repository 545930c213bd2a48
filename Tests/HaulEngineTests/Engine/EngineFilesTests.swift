import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("Files of downloads that do not run", .usesSockets)
struct EngineFilesTests {
    @Test(
        "the partial and all that belongs to it goes where its place is known, the file and its neighbours stay",
        arguments: [true, false])
    func discard(hasTargetPath: Bool) async throws {
        try await EngineHarness.run { harness in
            let spec = harness.spec("http://127.0.0.1:1/f")
            let mates = ["f", "f.part.haul2", "g.part", "g.part.haul"]
            for name in mates { try harness.folder.put([1], name) }
            // Damaged, but the beginning of a journal.
            for name in ["f.part", "f.part.haul", "f.part.haul.new"] {
                try harness.folder.put(Array("HAULPART".utf8), name)
            }
            let all = harness.names
            try await harness.engine.discardPartial(of: spec, hasTargetPath ? .at(harness.path("f")) : RunOptions())
            // Nothing in these journals tells whose they are, so only the place does.
            #expect(harness.names == (hasTargetPath ? mates : all))
            try await harness.engine.discardPartial(of: spec, .at(harness.path("f")))
            #expect(harness.names == mates)
            try await harness.engine.discardPartial(of: spec, RunOptions())
            #expect(harness.names == mates)
        }
    }

    @Test("a place tells where, whatever the spec says; without one the URL's name is taken")
    func discardInFolder() async throws {
        let file = Resource.file(seed: 2, size: 3_000_000)
        try await FaultServer.run(["/f": file], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: harness.folder.path))
                try await harness.interrupt(spec, after: 1_000_000, server)
                try harness.folder.put([1], "named.part")
                try harness.folder.put([], "named.part.haul")
                try await harness.engine.discardPartial(of: spec, .at(harness.path("named")))
                #expect(harness.names == ["f.part", "f.part.haul"])
                try await harness.engine.discardPartial(of: spec, RunOptions())
                #expect(harness.names == [])
                let gone = DownloadSpec(url: server.url("/f"), destination: .folder(path: harness.path("gone")))
                try await harness.engine.discardPartial(of: gone, RunOptions())
                #expect(harness.names == [])
            }
        }
    }

    @Test("what another process is writing stays")
    func busy() async throws {
        try await EngineHarness.run { harness in
            let held = try PartialFile.open(finalPath: harness.path("f"), sourceID: "s", resumes: true)
            _ = try held.begin(total: 1 << 20, etag: nil, lastModified: nil)
            let error = await #expect(throws: DownloadError.self) {
                try await harness.engine.discardPartial(of: harness.spec("http://127.0.0.1:1/f"), RunOptions())
            }
            #expect(error?.code == .destinationBusy)
            #expect(harness.names == ["f.part", "f.part.haul"])
            held.close()
        }
    }

    /// After a crash, the list may know what was about to get its name, and not that it has finished.
    @Test(arguments: [true, false], [true, false])
    func anUnrecordedFileIsRemovedWithTheRest(isOwn: Bool, hasSize: Bool) async throws {
        try await EngineHarness.run { harness in
            try harness.folder.put([1, 2, 3], "f")
            let status = try #require(try SystemCalls.live.status(atPath: harness.path("f")))
            var file = status.file
            if !isOwn { file.inode += 1 }
            try #require(file.born != nil)
            try await harness.engine.removeAll(
                of: harness.spec("http://127.0.0.1:1/f"),
                .at(harness.path("f"), published: file, bytes: hasSize ? 3 : nil), finished: nil)
            #expect(harness.names == (isOwn && hasSize ? [] : ["f"]))
        }
    }

    /// What a download that has finished with a file of so many bytes knows.
    static func facts(_ harness: EngineHarness, _ name: String, _ bytes: Int64, kept: Bool = false) -> FinishFacts {
        FinishFacts(
            path: harness.path(name), totalBytes: bytes, sessionBytes: bytes, seconds: 1, verified: nil, kept: kept)
    }

    @Test("only the file that the download has written is removed", arguments: [true, false])
    func removesOwn(hasIdentity: Bool) async throws {
        try await EngineHarness.run { harness in
            try harness.folder.put([1, 2, 3], "f")
            var facts = Self.facts(harness, "f", 3)
            if hasIdentity { facts.file = try RunOptionsTests.identity(harness, "f") }
            // Another size; kept, so the user's own; another file of the same size.
            var others = [facts, facts]
            others[0].totalBytes = 4
            others[1].kept = true
            if hasIdentity {
                others.append(facts)
                others[2].file?.inode += 1
            }
            for (index, other) in others.enumerated() {
                let isSilent = index == 1
                #expect(
                    await code { () throws(DownloadError) in try await harness.engine.removeFile(other) }
                        == (isSilent ? nil : .destinationExists))
                #expect(harness.names == ["f"])
            }
            // The number of the device may be another one after the next mount.
            facts.file?.device += 1
            try await harness.engine.removeFile(facts)
            #expect(harness.names == [])
            try await harness.engine.removeFile(facts)
        }
    }

    @Test("a partial that is being written keeps the finished file no more than the file keeps the partial")
    func removeAll() async throws {
        try await EngineHarness.run { harness in
            let spec = harness.spec("http://127.0.0.1:1/f")
            try harness.folder.put([1, 2, 3], "f")
            let held = try PartialFile.open(finalPath: harness.path("f"), sourceID: "s", resumes: true)
            _ = try held.begin(total: 1 << 20, etag: nil, lastModified: nil)
            let first = await code { () throws(DownloadError) in
                try await harness.engine.removeAll(
                    of: spec, .at(harness.path("f")), finished: Self.facts(harness, "f", 3))
            }
            #expect(first == .destinationBusy)
            #expect(harness.names == ["f.part", "f.part.haul"])
            try held.discard()
            for name in ["f", "f.part"] { try harness.folder.put([1, 2, 3], name) }
            try harness.folder.put([], "f.part.haul")
            let second = await code { () throws(DownloadError) in
                try await harness.engine.removeAll(
                    of: spec, .at(harness.path("f")), finished: Self.facts(harness, "f", 4))
            }
            #expect(second == .destinationExists)
            #expect(harness.names == ["f"])
        }
    }

    @Test("only an ordinary file is removed")
    func removeFile() async throws {
        try await EngineHarness.run { harness in
            try FileManager.default.createDirectory(atPath: harness.path("d"), withIntermediateDirectories: false)
            try harness.folder.put([1], "g")
            try FileManager.default.createSymbolicLink(atPath: harness.path("l"), withDestinationPath: "g")
            for name in ["d", "l"] {
                let error = await #expect(throws: DownloadError.self) {
                    try await harness.engine.removeFile(Self.facts(harness, name, 1))
                }
                #expect(error?.code == .destinationExists)
            }
            #expect(harness.names == ["d", "g", "l"])
        }
    }

    @Test("free room is told for a folder, and for nothing else")
    func freeSpace() async throws {
        try await EngineHarness.run { harness in
            #expect(await harness.engine.freeSpace(at: harness.folder.path) ?? 0 > 0)
            #expect(await harness.engine.freeSpace(at: harness.path("none")) == nil)
        }
    }

    @Test("a file larger than the disk: how much is missing is told once, before the end")
    func tooLarge() async throws {
        let reported = Mutex<[Int64]>([])
        try await FaultServer.run(["/f": Resource.file(seed: 1, size: 1 << 60)]) { server in
            try await EngineHarness.run { harness in
                var options = RunOptions()
                options.onShortage = { room in reported.withLock { $0.append(room.missing) } }
                let code = await harness.run(harness.spec(server.url("/f")), options) { event in
                    if case .failed = event { #expect(reported.withLock { $0.count } == 1) }
                }.code
                #expect(code == .noSpace)
                let free = try #require(await harness.engine.freeSpace(at: harness.folder.path))
                let missing = try #require(reported.withLock { $0.first })
                // Others write to the same disk meanwhile.
                #expect(abs(missing + free - 1 << 60) < 1 << 34)
                #expect(harness.names == [])
            }
        }
    }

    @Test("a disk that fills up on the way: at least a byte is missing, and the bytes are kept")
    func fillsUp() async throws {
        let reported = Mutex<[Int64]>([])
        let file = Resource.file(seed: 1, size: 3_000_000)
        // ENOSPC has this number on Linux and on Apple's systems alike.
        let faults = SystemCallFaults { _, call in
            if case .pwrite(let path, let offset, _) = call, path.hasSuffix("/f.part"), offset >= 1_000_000 {
                return .fail(28)
            }
            return .proceed
        }
        try await FaultServer.run(["/f": file]) { server in
            try await EngineHarness.run(system: faults.system()) { harness in
                var options = RunOptions()
                options.onShortage = { room in reported.withLock { $0.append(room.missing) } }
                #expect(await harness.run(harness.spec(server.url("/f")), options).code == .noSpace)
                #expect(reported.withLock { $0.count } == 1)
                #expect(reported.withLock { $0.allSatisfy { $0 >= 1 } })
                #expect(harness.names == ["f.part", "f.part.haul"])
            }
        }
    }
}
