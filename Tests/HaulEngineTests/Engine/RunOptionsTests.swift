import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("What earlier runs have left to know", .usesSockets)
struct RunOptionsTests {
    static let size: Int64 = 3_000_000
    static let file = Resource.file(seed: 41, size: size)

    /// Which file has a name in the folder of a trial.
    static func identity(_ harness: EngineHarness, _ name: String) throws -> FileIdentity {
        try #require(try SystemCalls.live.status(atPath: harness.path(name))).file
    }

    /// A file that was published by a run that is told as `published`, and what a further run makes of it.
    static func again(
        _ name: String = "f", bytes: Int64? = size, spec change: (inout DownloadSpec) throws -> Void = { _ in },
        after: (EngineHarness, FileIdentity) throws -> Void = { _, _ in },
        then check: (EngineHarness, FaultServer, Result<FinishFacts, DownloadError>) throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": file]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), name)
                try change(&spec)
                _ = try await harness.run(spec).get()
                let reported = try #require(harness.partials.last)
                let there = try identity(harness, name)
                #expect(reported == there)
                try after(harness, reported)
                let asked = server.requests("/f").count
                let result = await harness.run(spec, .at(harness.path(name), published: reported, bytes: bytes))
                if case .success(let facts) = result, !facts.kept, facts.sessionBytes == 0 {
                    #expect(server.requests("/f").count == asked)
                }
                try check(harness, server, result)
            }
        }
    }

    @Test("published before a crash: finished at once, whatever the policy", arguments: ConflictPolicy.allCases)
    func published(policy: ConflictPolicy) async throws {
        try await Self.again(spec: { $0.onConflict = policy }) { harness, server, result in
            let facts = try result.get()
            #expect(facts.path == harness.path("f") && facts.totalBytes == Self.size && !facts.kept)
            #expect(facts.verified == nil && facts.sessionBytes == 0)
            #expect(server.requests("/f").count == 1)
            #expect(harness.names == ["f"])
        }
    }

    @Test("with a checksum it is hashed again", arguments: [true, false])
    func checksum(isGood: Bool) async throws {
        let sum = try Digests.sha256(Self.file.allBytes)
        try await Self.again(
            spec: { $0.checksum = sum },
            after: { harness, _ in
                guard !isGood else { return }
                let handle = try #require(FileHandle(forWritingAtPath: harness.path("f")))
                try handle.write(contentsOf: [0x41, 0x42, 0x43])
                try handle.close()
            }
        ) { harness, _, result in
            if isGood {
                let facts = try result.get()
                #expect(facts.verified == sum)
            } else {
                #expect(result.code == .checksumMismatch)
            }
            #expect(harness.names == ["f"])
        }
    }

    @Test("cut between the rename and the removal of the journal: the journal goes", arguments: [0, 1, 7] as [Int64])
    func journalLeft(missing: Int64) async throws {
        try await Self.again(after: { harness, _ in try harness.leaveJournal(total: Self.size + missing) }) {
            harness, server, result in
            if missing == 0 {
                let facts = try result.get()
                #expect(facts.sessionBytes == 0)
                #expect(server.requests("/f").count == 1)
                #expect(harness.names == ["f"])
            } else {
                // The journal speaks of another length: that is no publication, so the policy decides.
                #expect(result.code == .destinationExists)
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test("the number of an inode alone proves nothing", arguments: [nil, size - 1, size] as [Int64?], [true, false])
    func inodeAlone(bytes: Int64?, hasJournal: Bool) async throws {
        try await Self.again(
            bytes: bytes, after: { harness, _ in if hasJournal { try harness.leaveJournal(total: Self.size) } }
        ) { harness, _, result in
            if bytes == Self.size || bytes == nil && hasJournal {
                let facts = try result.get()
                #expect(facts.sessionBytes == 0)
                let there = try Self.identity(harness, "f")
                #expect(facts.file == there)
                #expect(harness.names == ["f"])
            } else {
                #expect(result.code == .destinationExists)
            }
        }
    }

    @Test("cut between link and unlink: the second name goes")
    func linked() async throws {
        try await Self.again(after: { harness, _ in
            try FileManager.default.linkItem(atPath: harness.path("f"), toPath: harness.path("f.part"))
            try harness.leaveJournal(total: Self.size)
        }) { harness, _, result in
            let facts = try result.get()
            #expect(facts.sessionBytes == 0)
            #expect(harness.names == ["f"])
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("another file of that name was not published by us")
    func another() async throws {
        try await Self.again(after: { harness, _ in
            try harness.folder.put([1], "g")
            harness.remove("f")
            try FileManager.default.moveItem(atPath: harness.path("g"), toPath: harness.path("f"))
        }) { harness, _, result in
            #expect(result.code == .destinationExists)
            #expect(harness.bytes("f") == [1])
        }
    }

    @Test("nothing there, or a new partial there: fetched as usual")
    func gone() async throws {
        try await Self.again(after: { harness, _ in harness.remove("f") }) { harness, server, result in
            let facts = try result.get()
            #expect(facts.totalBytes == Self.size)
            #expect(server.requests("/f").count == 2)
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
        try await Self.again(spec: { $0.onConflict = .replace }, after: { harness, _ in try harness.leavePartial() }) {
            harness, server, result in
            let facts = try result.get()
            #expect(facts.totalBytes == Self.size)
            #expect(server.requests("/f").count == 2)
        }
    }

    @Test("the place that was settled on counts, whatever name the server gives now", arguments: [1, 4])
    func targetPath(connections: Int) async throws {
        let named = Self.file.contentDisposition("attachment; filename=one.bin")
        try await FaultServer.run(["/f": named], throttle: Self.size) { server in
            try await EngineHarness.run { harness in
                var spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: harness.folder.path))
                spec.connections = .fixed(connections)
                spec.onConflict = .rename
                try await harness.interrupt(spec, after: Self.size / 3, server)
                #expect(harness.names == ["one.bin.part", "one.bin.part.haul"])
                server.throttle(nil)
                server.set("/f", Self.file.contentDisposition("attachment; filename=two.bin"))
                // Something took the name meanwhile: the bytes are kept all the same, and the next name is taken.
                try harness.folder.put([1], "one.bin")
                let result = await harness.run(spec, .at(harness.path("one.bin")))
                let facts = try result.get()
                #expect(facts.path == harness.path("one (1).bin"))
                #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
                #expect(harness.bytes("one (1).bin") == Self.file.allBytes)
                #expect(harness.names == ["one (1).bin", "one.bin"])
            }
        }
    }
}

extension EngineHarness {
    /// The partials that it told.
    var partials: [FileIdentity] {
        events.compactMap { if case .started(let facts) = $0 { facts.partial } else { nil } }
    }

    /// Leaves the journal that a publication of `f` removes last.
    func leaveJournal(total: Int64) throws {
        let status = try #require(try SystemCalls.live.status(atPath: path("f")))
        let header = JournalHeader(
            nonce: 1, sourceID: "source", totalBytes: total, etag: nil, lastModified: nil,
            bootID: SystemCalls.live.bootID(), mountID: status.mountID, partial: status.identity)
        let slot = JournalSlot(start: 0, written: total, durable: total)
        try folder.put(Journal(header: header, slots: [slot]).encoded(), "f.part.haul")
    }

    /// Leaves a partial with bytes of somebody else.
    func leavePartial() throws {
        try folder.put([UInt8](repeating: 1, count: 1000), "f.part")
        try folder.put([], "f.part.haul")
    }
}

extension RunOptions {
    /// The options of a run that knows where an earlier one has put its files.
    static func at(
        _ targetPath: String?, published: FileIdentity? = nil, bytes: Int64? = nil
    ) -> RunOptions {
        var options = RunOptions()
        options.targetPath = targetPath
        options.published = published
        options.publishedBytes = bytes
        return options
    }

    /// The options of a run whose source was another one before.
    static func replacing(_ url: String, targetPath: String? = nil) -> RunOptions {
        var options = RunOptions()
        options.targetPath = targetPath
        options.replacedSources = (try? SourceURL(parsing: url)).map { [SourceIdentity.digest($0, nil)] } ?? []
        return options
    }
}
