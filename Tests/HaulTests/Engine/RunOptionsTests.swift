import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTesting
import Testing

@Suite("What earlier runs have left to know", .usesSockets)
struct RunOptionsTests {
    static let size: Int64 = 3_000_000
    static let file = Resource.file(seed: 41, size: size)

    /// Which file has a name in the folder of a trial.
    static func identity(_ mine: Trial, _ name: String) throws -> FileIdentity {
        try #require(try SystemCalls.live.status(atPath: mine.path(name))).file
    }

    /// A file that was published by a run that is told as `published`, and what a further run makes of it.
    static func again(
        _ name: String = "f", bytes: Int64? = size, spec change: (inout DownloadSpec) throws -> Void = { _ in },
        after: (Trial, FileIdentity) throws -> Void = { _, _ in },
        then check: (Trial, FaultServer, Result<FinishFacts, DownloadError>) throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": file]) { server in
            try await Trial.run { mine in
                var spec = mine.spec(server.url("/f"), name)
                try change(&spec)
                _ = try await mine.run(spec).get()
                let reported = try #require(mine.partials.last)
                let there = try identity(mine, name)
                #expect(reported == there)
                try after(mine, reported)
                let asked = server.requests("/f").count
                let result = await mine.run(spec, .at(mine.path(name), published: reported, bytes: bytes))
                if case .success(let facts) = result, !facts.kept, facts.sessionBytes == 0 {
                    #expect(server.requests("/f").count == asked)
                }
                try check(mine, server, result)
            }
        }
    }

    @Test("published before a crash: finished at once, whatever the policy", arguments: ConflictPolicy.allCases)
    func published(policy: ConflictPolicy) async throws {
        try await Self.again(spec: { $0.onConflict = policy }) { mine, server, result in
            let facts = try result.get()
            #expect(facts.path == mine.path("f") && facts.totalBytes == Self.size && !facts.kept)
            #expect(facts.verified == nil && facts.sessionBytes == 0)
            #expect(server.requests("/f").count == 1)
            #expect(mine.names == ["f"])
        }
    }

    @Test("with a checksum it is hashed again", arguments: [true, false])
    func checksum(isGood: Bool) async throws {
        let sum = try Digests.sha256(Self.file.allBytes)
        try await Self.again(
            spec: { $0.checksum = sum },
            after: { mine, _ in
                guard !isGood else { return }
                let handle = try #require(FileHandle(forWritingAtPath: mine.path("f")))
                try handle.write(contentsOf: [0x41, 0x42, 0x43])
                try handle.close()
            }
        ) { mine, _, result in
            if isGood {
                let facts = try result.get()
                #expect(facts.verified == sum)
            } else {
                #expect(result.code == .checksumMismatch)
            }
            #expect(mine.names == ["f"])
        }
    }

    @Test("cut between the rename and the removal of the journal: the journal goes", arguments: [0, 1, 7] as [Int64])
    func journalLeft(missing: Int64) async throws {
        try await Self.again(after: { mine, _ in try mine.leaveJournal(total: Self.size + missing) }) {
            mine, server, result in
            if missing == 0 {
                let facts = try result.get()
                #expect(facts.sessionBytes == 0)
                #expect(server.requests("/f").count == 1)
                #expect(mine.names == ["f"])
            } else {
                // The journal speaks of another length: that is no publication, so the policy decides.
                #expect(result.code == .destinationExists)
                #expect(mine.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test("the number of an inode alone proves nothing", arguments: [nil, size - 1, size] as [Int64?], [true, false])
    func inodeAlone(bytes: Int64?, hasJournal: Bool) async throws {
        try await Self.again(
            bytes: bytes, after: { mine, _ in if hasJournal { try mine.leaveJournal(total: Self.size) } }
        ) { mine, _, result in
            if bytes == Self.size || bytes == nil && hasJournal {
                let facts = try result.get()
                #expect(facts.sessionBytes == 0)
                let there = try Self.identity(mine, "f")
                #expect(facts.file == there)
                #expect(mine.names == ["f"])
            } else {
                #expect(result.code == .destinationExists)
            }
        }
    }

    @Test("cut between link and unlink: the second name goes")
    func linked() async throws {
        try await Self.again(after: { mine, _ in
            try FileManager.default.linkItem(atPath: mine.path("f"), toPath: mine.path("f.part"))
            try mine.leaveJournal(total: Self.size)
        }) { mine, _, result in
            let facts = try result.get()
            #expect(facts.sessionBytes == 0)
            #expect(mine.names == ["f"])
            #expect(mine.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("another file of that name was not published by us")
    func another() async throws {
        try await Self.again(after: { mine, _ in
            try mine.folder.put([1], "g")
            mine.remove("f")
            try FileManager.default.moveItem(atPath: mine.path("g"), toPath: mine.path("f"))
        }) { mine, _, result in
            #expect(result.code == .destinationExists)
            #expect(mine.bytes("f") == [1])
        }
    }

    @Test("nothing there, or a new partial there: fetched as usual")
    func gone() async throws {
        try await Self.again(after: { mine, _ in mine.remove("f") }) { mine, server, result in
            let facts = try result.get()
            #expect(facts.totalBytes == Self.size)
            #expect(server.requests("/f").count == 2)
            #expect(mine.bytes("f") == Self.file.allBytes)
        }
        try await Self.again(spec: { $0.onConflict = .replace }, after: { mine, _ in try mine.leavePartial() }) {
            mine, server, result in
            let facts = try result.get()
            #expect(facts.totalBytes == Self.size)
            #expect(server.requests("/f").count == 2)
        }
    }

    @Test("the place that was settled on counts, whatever name the server gives now", arguments: [1, 4])
    func place(connections: Int) async throws {
        let named = Self.file.contentDisposition("attachment; filename=one.bin")
        try await FaultServer.run(["/f": named], throttle: Self.size) { server in
            try await Trial.run { mine in
                var spec = DownloadSpec(url: server.url("/f"), destination: .folder(path: mine.folder.path))
                spec.connections = .fixed(connections)
                spec.onConflict = .rename
                try await mine.interrupt(spec, after: Self.size / 3, server)
                #expect(mine.names == ["one.bin.part", "one.bin.part.haul"])
                server.throttle(nil)
                server.set("/f", Self.file.contentDisposition("attachment; filename=two.bin"))
                // Something took the name meanwhile: the bytes are kept all the same, and the next name is taken.
                try mine.folder.put([1], "one.bin")
                let result = await mine.run(spec, .at(mine.path("one.bin")))
                let facts = try result.get()
                #expect(facts.path == mine.path("one (1).bin"))
                #expect(mine.resumedBytes.last ?? 0 >= Self.size / 3)
                #expect(mine.bytes("one (1).bin") == Self.file.allBytes)
                #expect(mine.names == ["one (1).bin", "one.bin"])
            }
        }
    }
}

extension Trial {
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
        _ place: String?, published: FileIdentity? = nil, bytes: Int64? = nil
    ) -> RunOptions {
        var options = RunOptions()
        options.place = place
        options.published = published
        options.publishedBytes = bytes
        return options
    }

    /// The options of a run whose source was another one before.
    static func replacing(_ url: String, place: String? = nil) -> RunOptions {
        var options = RunOptions()
        options.place = place
        options.replacedSources = (try? SourceURL(parsing: url)).map { [SourceIdentity.digest($0, nil)] } ?? []
        return options
    }
}
