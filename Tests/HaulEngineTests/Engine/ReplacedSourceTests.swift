import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Testing

@Suite("A new source for bytes that are there", .usesSockets)
struct ReplacedSourceTests {
    static let size: Int64 = 6_000_000
    static let file = Resource.file(seed: 51, size: size)
    /// What is there: four pieces with holes between, one smaller than an overlap, one that ends with the file.
    static let pieces: [Range<Int64>] = [
        0..<1_000_000, 2_000_000..<2_500_000, 4_000_000..<4_000_050, 5_900_000..<6_000_000,
    ]
    /// What of it may be requested again: of each piece the last bytes, then the first ones.
    static let overlaps: [[Range<Int64>]] = pieces.map { piece in
        guard piece.count > 2 * 65_536 else { return [piece] }
        return [piece.upperBound - 65_536..<piece.upperBound, piece.lowerBound..<piece.lowerBound + 65_536]
    }

    /// What is different at the new source.
    enum Other: CaseIterable {
        case size, firstPiece, lastPiece, allBytes, noRanges, unknownSize, emptyFile

        var resource: Resource {
            let file = ReplacedSourceTests.file
            switch self {
            case .size: return Resource.file(seed: 51, size: ReplacedSourceTests.size + 1)
            case .firstPiece: return Self.flipped(999_999)
            case .lastPiece: return Self.flipped(5_999_990)
            case .allBytes: return Resource.file(seed: 52, size: ReplacedSourceTests.size)
            case .noRanges: return file.withoutRanges()
            case .unknownSize: return file.script { _ in .normal.contentRange(.total(nil)) }
            case .emptyFile: return Resource.bytes([])
            }
        }

        static func flipped(_ offset: Int) -> Resource {
            var bytes = ReplacedSourceTests.file.allBytes
            bytes[offset] ^= 1
            return Resource.bytes(bytes)
        }
    }

    /// A partial of `/f`, and `/new` as its new source.
    static func run(
        _ new: Resource, connections: Int = 1, pieces: [Range<Int64>] = pieces,
        _ body: (EngineHarness, FaultServer, DownloadSpec) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": file, "/new": new]) { server in
            try await EngineHarness.run { harness in
                try harness.leavePartial(of: file, at: server.url("/f"), pieces)
                try await body(harness, server, harness.spec(server.url("/new"), connections: connections))
            }
        }
    }

    /// Runs with the new source, expects that nothing has changed, and that the old source goes on with all bytes.
    static func isKept(
        _ harness: EngineHarness, _ server: FaultServer, _ spec: DownloadSpec, code: DownloadError.Code
    ) async throws {
        let before = (harness.bytes("f.part"), harness.bytes("f.part.haul"))
        let result = await harness.run(spec, .replacing(server.url("/f"), targetPath: harness.path("f")))
        #expect(result.code == code)
        #expect(harness.bytes("f.part") == before.0)
        #expect(harness.bytes("f.part.haul") == before.1)
        #expect(harness.names == ["f.part", "f.part.haul"])
        _ = try await harness.run(harness.spec(server.url("/f"))).get()
        #expect(harness.bytes("f") == file.allBytes)
        let there = pieces.reduce(0) { $0 + Int64($1.count) }
        // At each join, and before the last byte, up to 64 KiB are compared.
        let again = try await server.settled().bodyBytes("/f") - (size - there)
        #expect((0...Int64(pieces.count) * 65_537).contains(again))
    }

    @Test(
        "the same file: every piece is kept, and nothing but the overlaps is fetched again", arguments: [1, 4],
        ["\"51-6000000\"", "\"other\"", "W/\"other\"", nil] as [String?])
    func same(connections: Int, etag: String?) async throws {
        let new = etag == nil ? Self.file.etag(nil).lastModified(nil) : Self.file.etag(etag)
        try await Self.run(new, connections: connections) { harness, server, spec in
            let result = await harness.run(spec, .replacing(server.url("/f"), targetPath: harness.path("f")))
            #expect(try result.get().path == harness.path("f"))
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.names == ["f"])
            #expect(harness.resumedBytes == [Self.pieces.reduce(0) { $0 + Int64($1.count) }])
            let requests = try await server.settled().requests("/new")
            for (piece, overlaps) in zip(Self.pieces, Self.overlaps) {
                let again = requests.compactMap { $0.served?.clamped(to: piece) }.filter { !$0.isEmpty }
                #expect(again.allSatisfy { range in overlaps.contains { range.clamped(to: $0) == range } }, "\(again)")
            }
            let expected = Self.overlaps.flatMap(\.self)
            #expect(requests.first?.responded == expected[0])
            let compared = requests.prefix { $0.responded.map(expected.contains) ?? false }
            // Equal tags that are no digests, without dates, may be those of two resources.
            #expect(compared.count == expected.count)
        }
    }

    @Test("not the same file: said so, and all is kept for the old source", arguments: Other.allCases, [1, 4])
    func other(_ other: Other, connections: Int) async throws {
        try await Self.run(other.resource, connections: connections) { harness, server, spec in
            try await Self.isKept(harness, server, spec, code: .sourceChanged)
            #expect(try await server.settled().bodyBytes("/new") < 1_000_000)
        }
    }

    @Test("the same strong tag and other bytes: the bytes count")
    func lyingTag() async throws {
        try await Self.run(Other.firstPiece.resource.etag("\"51-6000000\"")) { harness, server, spec in
            try await Self.isKept(harness, server, spec, code: .sourceChanged)
        }
    }

    @Test(
        "a source that fails leaves everything as it was",
        arguments: [
            (404, .notFound), (401, .linkExpired), (403, .linkExpired), (410, .linkExpired), (500, .serverBusy),
            (503, .serverBusy), (400, .unexpectedStatus),
        ] as [(Int, DownloadError.Code)])
    func fails(status: Int, code: DownloadError.Code) async throws {
        try await Self.run(Self.file.script(.status(status))) { harness, server, spec in
            try await Self.isKept(harness, server, spec, code: code)
        }
    }

    @Test("stopped while the new source is silent: as it was")
    func silent() async throws {
        try await Self.run(Self.file.script(.silence())) { harness, server, spec in
            let before = (harness.bytes("f.part"), harness.bytes("f.part.haul"))
            try await harness.stopWaiting(spec, server, .replacing(server.url("/f"), targetPath: harness.path("f")))
            #expect(harness.bytes("f.part") == before.0)
            #expect(harness.bytes("f.part.haul") == before.1)
        }
    }

    @Test("answers that break, are busy or come in small parts are asked for again", arguments: 0..<4)
    func breaks(kind: Int) async throws {
        let new = Self.file.etag("\"new\"").script { facts in
            switch kind {
            case 0: facts.number % 3 == 1 ? .cut(after: 5000) : .normal
            case 1: facts.number == 1 ? .status(503) : .normal
            case 2: .partial(atMost: 50_000)
            default: facts.number == 1 ? .reset() : .normal
            }
        }
        try await Self.run(new, connections: 2) { harness, server, spec in
            _ = try await harness.run(spec, .replacing(server.url("/f"), targetPath: harness.path("f"))).get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.resumedBytes.last ?? 0 > 1_000_000)
        }
    }

    @Test("a redirect leads to the new source")
    func redirect() async throws {
        try await Self.run(.redirect(to: "/f")) { harness, server, spec in
            _ = try await harness.run(spec, .replacing(server.url("/f"), targetPath: harness.path("f"))).get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.resumedBytes.last ?? 0 > 1_000_000)
        }
    }

    @Test("the name comes from the server: found there, and proved all the same", arguments: [true, false])
    func named(isSame: Bool) async throws {
        let new = (isSame ? Self.file : Other.firstPiece.resource).etag("\"n\"")
            .contentDisposition("attachment; filename=f")
        try await Self.run(new, connections: 2) { harness, server, spec in
            var spec = spec
            spec.destination = .folder(path: harness.folder.path)
            let result = await harness.run(spec, .replacing(server.url("/f")))
            if isSame {
                #expect(try result.get().path == harness.path("f"))
                #expect(harness.resumedBytes.last ?? 0 > 1_000_000)
                #expect(harness.bytes("f") == Self.file.allBytes)
            } else {
                #expect(result.code == .sourceChanged)
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test("nothing to lose: no partial, or one without a byte", arguments: [true, false])
    func nothingThere(hasPartial: Bool) async throws {
        let new = Resource.file(seed: 52, size: 1_000_000)
        try await Self.run(new, pieces: []) { harness, server, spec in
            if !hasPartial {
                harness.remove("f.part")
                harness.remove("f.part.haul")
            }
            _ = try await harness.run(spec, .replacing(server.url("/f"), targetPath: harness.path("f"))).get()
            #expect(harness.bytes("f") == new.allBytes)
        }
    }

    @Test("stopped after the proof: the next run goes on with the new source, without a proof")
    func nextRun() async throws {
        try await FaultServer.run(["/f": Self.file, "/new": Self.file.etag("\"n\"")], throttle: 4_000_000) { server in
            try await EngineHarness.run { harness in
                try harness.leavePartial(of: Self.file, at: server.url("/f"), [0..<1_000_000])
                let spec = harness.spec(server.url("/new"))
                try await harness.interrupt(spec, after: 2_000_000, server, .replacing(server.url("/f")))
                server.throttle(nil)
                let before = server.requests("/new").count
                _ = try await harness.run(spec).get()
                #expect(server.requests("/new").count == before + 1)
                #expect(harness.resumedBytes.last ?? 0 >= 2_000_000)
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }
}

extension EngineHarness {
    /// Leaves a partial `f` of a source that holds these pieces.
    func leavePartial(of resource: Resource, at url: String, _ pieces: [Range<Int64>]) throws {
        let source = try Digests.sha256(Array(url.utf8)).hex
        let partial = try PartialFile.open(
            finalPath: path("f"), sourceID: source, resumes: true)
        let starts = Array(Set([0] + pieces.map(\.lowerBound))).sorted()
        let slots = try partial.begin(
            total: resource.size, etag: "\"51-6000000\"", lastModified: nil, segments: starts)
        for piece in pieces {
            let bytes = resource.bytes(piece)
            // The bytes of an array of integers are initialised, and the span is used at once.
            try partial.write(unsafe bytes.span.bytes, at: piece.lowerBound)
            try slots.first { $0.start == piece.lowerBound }?.record(written: piece.upperBound)
        }
        try partial.checkpoint()
        // Without a byte it would be removed as litter; a killed process leaves it.
        if !pieces.isEmpty { partial.close() }
    }
}
