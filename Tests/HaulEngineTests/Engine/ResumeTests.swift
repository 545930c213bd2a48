import Foundation
import Haul
import HaulCore
import HaulTestData
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Going on where an earlier session stopped", .usesSockets)
struct ResumeTests {
    static let size: Int64 = 6_000_000
    static let file = Resource.file(seed: 1, size: size)

    /// Interrupts a throttled download half-way, lets `change` happen, downloads again.
    ///
    /// `check` hears how many of the bytes that were there the second run has asked for: what was on its way when the first one was
    /// stopped depends on the machine's buffers, and on how busy it is.
    static func resume(
        _ resource: Resource, connections: Int, spec change: (inout DownloadSpec) -> Void = { _ in },
        between: (EngineHarness, FaultServer) throws -> Void = { _, _ in },
        then check: (EngineHarness, Result<FinishFacts, DownloadError>, _ askedAgain: Int64) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": resource], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                change(&spec)
                try await harness.interrupt(spec, after: size / 3, server)
                let before = try await server.settled().requests("/f").count
                try between(harness, server)
                server.throttle(nil)
                let result = await harness.run(spec)
                let asked = try await server.settled().requests("/f").dropFirst(before).compactMap(\.responded)
                let missing = size - (harness.resumedBytes.last ?? 0)
                try await check(harness, result, RangeSet(asked).ranges.reduce(-missing) { $0 + Int64($1.count) })
            }
        }
    }

    @Test("what several sources may have brought is compared before the main one goes on with it")
    func mixed() async throws {
        let file = Resource.file(seed: 95, size: 4_000_000)
        try await FaultServer.run(["/f": file], throttle: 4_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.mirrors = [DownloadSpec.Mirror(url: server.url("/g"))]
                try await harness.interrupt(spec, after: 1_000_000, server)
                server.throttle(nil)
                // As if a mirror had brought another version of them.
                let handle = try #require(FileHandle(forUpdatingAtPath: harness.path("f.part")))
                try handle.write(contentsOf: Data(repeating: 7, count: 3_000_000))
                try handle.close()
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == file.allBytes)
            }
        }
    }

    @Test("bytes of an older version without validators, and the checksum of the present one: downloaded again")
    func olderVersion() async throws {
        let old = Resource.bytes(Self.file.allBytes).etag(nil).lastModified(nil)
        var bytes = Self.file.allBytes
        for index in 0..<1_000_000 { bytes[index] ^= 1 }
        let new = Resource.bytes(bytes).etag(nil).lastModified(nil)
        try await FaultServer.run(["/f": old], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                try await harness.interrupt(spec, after: 2_000_000, server)
                server.throttle(nil)
                server.set("/f", new)
                spec.checksum = try Digests.sha256(bytes)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == bytes && harness.names == ["f"])
            }
        }
    }

    @Test("a strong ETag: the gaps only, and the 64 KiB before each are compared", arguments: [1, 2, 8])
    func strong(connections: Int) async throws {
        try await Self.resume(Self.file, connections: connections) { harness, result, again in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.names == ["f"])
            #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
            #expect((1...Int64(connections) * 65_536).contains(again))
        }
    }

    @Test(
        "a server that sends only the whole file for a while: no bytes are lost", arguments: [1, 4], [100, 3_000_000])
    func wholeForAWhile(connections: Int, interruptedAt bytes: Int64) async throws {
        try await FaultServer.run(["/f": Self.file], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/f"), connections: connections)
                try await harness.interrupt(spec, after: Self.size / 3, server)
                server.throttle(6_000_000)
                server.set("/f", Self.file.script(.ignoringRange().stall(after: bytes * 3 / 2)))
                try await harness.interrupt(spec, after: bytes, server, holds: false)
                #expect(harness.events.contains(.notice(.rangesIgnored)))
                server.set("/f", Self.file)
                server.throttle(nil)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
                #expect(harness.resumedBytes.last ?? 0 >= max(bytes, Self.size / 3))
            }
        }
    }

    @Test(
        "a server that refuses ranges by another status than 416: the whole file is requested",
        arguments: [400, 405, 412, 501])
    func rangesRefused(status: Int) async throws {
        try await Self.resume(
            Self.file, connections: 4,
            between: { _, server in
                server.set("/f", Self.file.script { $0.header("range") == nil ? .ignoringRange() : .status(status) })
            },
            then: { harness, result, _ in
                _ = try result.get()
                #expect(harness.events.contains(.notice(.rangesIgnored)))
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
            })
    }

    @Test("a server that sends only the whole file: existing bytes are compared, and replaced if they differ")
    func wholeDiffers() async throws {
        let whole = Self.file.script(.ignoringRange())
        try await Self.resume(
            Self.file, connections: 4,
            between: { harness, server in
                server.set("/f", whole)
                let handle = try #require(FileHandle(forUpdatingAtPath: harness.path("f.part")))
                try handle.write(contentsOf: Data(repeating: 7, count: 100))
                try handle.close()
            },
            then: { harness, result, _ in
                _ = try result.get()
                #expect(harness.events.contains(.notice(.sourceChanged)))
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
            })
    }

    @Test("a strong date serves as well")
    func strongDate() async throws {
        try await Self.resume(Self.file.etag(nil), connections: 4) { harness, result, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.resumedBytes.last ?? 0 > 0)
        }
    }

    @Test("weak or no validators: joined after an overlap was compared", arguments: ["W/\"x\"", nil] as [String?])
    func weak(etag: String?) async throws {
        let resource = Self.file.etag(etag).lastModified(nil)
        try await Self.resume(resource, connections: 4) { harness, result, again in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.resumedBytes.last ?? 0 > 0)
            #expect(again <= 256 << 10)
        }
    }

    @Test(
        "changed between the runs: the new file, whole, whatever the validators",
        arguments: ["\"new\"", "W/\"x\"", nil] as [String?])
    func changed(etag: String?) async throws {
        let new = Resource.file(seed: 2, size: Self.size).etag(etag).lastModified(nil)
        let old = etag == "\"new\"" ? Self.file : Self.file.etag(etag).lastModified(nil)
        try await Self.resume(old, connections: 4, between: { _, server in server.set("/f", new) }) {
            harness, result, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == new.allBytes)
            #expect(harness.events.contains(.notice(.sourceChanged)))
        }
    }

    @Test("another size between the runs")
    func otherSize() async throws {
        let new = Resource.file(seed: 1, size: Self.size + 1)
        try await Self.resume(Self.file, connections: 2, between: { _, server in server.set("/f", new) }) {
            harness, result, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == new.allBytes)
        }
    }

    @Test("a server that ignores If-Range does not get a mix accepted")
    func ignoresIfRange() async throws {
        let new = Resource.file(seed: 2, size: Self.size).etag("\"new\"").script { _ in .normal.ignoringIfRange() }
        try await Self.resume(Self.file, connections: 2, between: { _, server in server.set("/f", new) }) {
            harness, result, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == new.allBytes)
        }
    }

    @Test("the ranges are gone: from zero")
    func rangesGone() async throws {
        let new = Self.file.withoutRanges()
        try await Self.resume(Self.file, connections: 2, between: { _, server in server.set("/f", new) }) {
            harness, result, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }

    @Test(
        "a link that has expired, or a server that refuses everything: a clear error, and the bytes are kept for later",
        arguments: [
            (401, .linkExpired), (403, .linkExpired), (410, .linkExpired), (400, .unexpectedStatus),
            (501, .unexpectedStatus),
        ] as [(Int, DownloadError.Code)])
    func refused(status: Int, code: DownloadError.Code) async throws {
        try await FaultServer.run(["/f": Self.file], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/f"), connections: 2)
                try await harness.interrupt(spec, after: Self.size / 3, server)
                server.throttle(nil)
                server.set("/f", Self.file.script(.status(status)))
                #expect(await harness.run(spec).code == code)
                #expect(harness.names == ["f.part", "f.part.haul"])
                server.set("/f", Self.file)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test(
        "in a new process the bytes that are there count as a good start, whoever names the file",
        arguments: [401, 403, 410, 404], [true, false])
    func expiredForNewProcess(status: Int, isNamedByServer: Bool) async throws {
        let file = Self.file.contentDisposition("attachment; filename=f")
        try await FaultServer.run(["/get": file], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/get"))
                if isNamedByServer { spec.destination = .folder(path: harness.folder.path) }
                try await harness.interrupt(spec, after: Self.size / 3, server)
                server.throttle(nil)
                server.set("/get", file.script(.status(status)))
                try await EngineHarness.run { other in
                    let result = await other.run(spec, .at(harness.path("f")))
                    #expect(result.code == (status == 404 ? .notFound : .linkExpired))
                }
                #expect(harness.names == ["f.part", "f.part.haul"])
                server.set("/get", file)
                _ = try await harness.run(spec, .at(harness.path("f"))).get()
                #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
                #expect(harness.bytes("f") == file.allBytes)
            }
        }
    }

    @Test(
        "journals and partials that were lost, cut, grown, garbled or swapped: the right file all the same",
        arguments: 0..<12)
    func damaged(kind: Int) async throws {
        try await Self.resume(
            Self.file, connections: 4,
            between: { harness, _ in
                let journal = harness.bytes("f.part.haul") ?? []
                let partial = harness.bytes("f.part") ?? []
                switch kind {
                case 0: harness.remove("f.part.haul")
                case 1: harness.remove("f.part")
                case 2: try harness.folder.put(Array(journal.prefix(100)), "f.part.haul")
                case 3: try harness.folder.put([], "f.part.haul")
                case 4: try harness.folder.put(journal.map { $0 ^ 0xFF }, "f.part.haul")
                case 5: try harness.folder.put(Array(partial.prefix(1000)), "f.part")
                case 6: try harness.folder.put(partial + [0], "f.part")
                case 7: try harness.folder.put(Array(repeating: 0x41, count: 100_000), "f.part.haul")
                case 8:
                    harness.remove("f.part")
                    try harness.folder.put([UInt8](repeating: 0, count: partial.count), "f.part")
                default:
                    var generator = SeededGenerator(seed: UInt64(kind))
                    var bytes = journal
                    for _ in 0..<3 { bytes[Int.random(in: bytes.indices, using: &generator)] ^= 0x10 }
                    try harness.folder.put(bytes, "f.part.haul")
                }
            }
        ) { harness, result, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("--no-resume: nothing but the file is ever written, and nothing stays")
    func noResume() async throws {
        try await Self.resume(Self.file, connections: 2, spec: { $0.resumes = false }) { harness, result, _ in
            #expect(harness.resumedBytes == [0, 0])
            _ = try result.get()
            #expect(harness.names == ["f"])
        }
    }

    @Test("another source for the same name, with another file: it does not go on from it, and the partial is kept")
    func otherSource() async throws {
        let other = Resource.file(seed: 9, size: Self.size).etag("\"\(1)-\(Self.size)\"")
        try await FaultServer.run(["/f": Self.file, "/g": other], throttle: 6_000_000) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(harness.spec(server.url("/f")), after: Self.size / 3, server)
                server.throttle(nil)
                let before = [harness.bytes("f.part"), harness.bytes("f.part.haul")]
                _ = try await harness.run(harness.spec(server.url("/g"))).get()
                #expect([harness.bytes("f.part"), harness.bytes("f.part.haul")] == before)
                #expect(harness.bytes("f") == other.allBytes)
            }
        }
    }

    @Test("a document that the server names for the file, and that is missing, does not prevent resuming")
    func missingDocument() async throws {
        let link = "</x.meta4>; rel=describedby; type=\"application/metalink4+xml\""
        try await Self.resume(Self.file.header("Link", link), connections: 2) { harness, result, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
        }
    }

    @Test("a new version without a date does not get the date of the old one")
    func dateOfOldVersion() async throws {
        let old = Self.file.lastModified("Wed, 01 Jan 2020 12:00:00 GMT")
        let new = Resource.file(seed: 2, size: Self.size + 1000).lastModified(nil)
        try await Self.resume(
            old, connections: 1, between: { _, server in server.set("/f", new) },
            then: { harness, result, _ in
                _ = try result.get()
                #expect(harness.bytes("f") == new.allBytes)
                let attributes = try FileManager.default.attributesOfItem(atPath: harness.path("f"))
                let date = try #require(attributes[.modificationDate] as? Date)
                #expect(date.timeIntervalSince1970 > 1_600_000_000)
            })
    }
}
