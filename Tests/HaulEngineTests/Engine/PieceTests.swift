import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Piece hashes", .usesSockets)
struct PieceTests {
    static let slowed = MirrorTrial.file.script(.throttle(1_500_000))

    @Test("a right file passes", arguments: [1, 4], [7_000, 250_000, 3_000_000, 5_000_000] as [Int64])
    func right(connections: Int, length: Int64) async throws {
        try await FaultServer.run(["/f": MirrorTrial.file]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.pieces = try MirrorTrial.pieces(of: MirrorTrial.file, length: length)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
                #expect(harness.badPieces == [])
            }
        }
    }

    @Test(
        "only the bad pieces are fetched again",
        arguments: [[0], [1_100_000], [2_999_999], [10, 1_100_000, 1_300_000, 2_800_000]] as [[Int64]], [1, 4])
    func onlyBad(offsets: [Int64], connections: Int) async throws {
        let isOver = Switch()
        let resource = MirrorTrial.file.script { _ in
            isOver.isOn ? .normal : offsets.reduce(ServerScript.normal) { $0.flipped(at: $1) }
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.pieces = try MirrorTrial.pieces(of: MirrorTrial.file, length: 250_000)
                let result = await harness.run(spec) { event in
                    if case .notice(.badPieces) = event { isOver.turnOn() }
                }
                _ = try result.get()
                #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
                #expect(harness.badPieces.first == Set(offsets.map { $0 / 250_000 }).count)
                // What several connections have on their way when they are cut short is theirs, not the pieces'.
                guard connections == 1 else { return }
                let again = try await server.settled().bytesServedAgain("/f")
                #expect(again <= 250_000 * Int64(offsets.count))
            }
        }
    }

    @Test(
        "an existing file of the right size and date is compared, too", arguments: [true, false],
        [ConflictPolicy.keep, .replace])
    func existing(isRight: Bool, onConflict: ConflictPolicy) async throws {
        let file = MirrorTrial.file.lastModified("Mon, 02 Jan 2023 00:00:00 GMT")
        try await FaultServer.run(["/f": file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put((isRight ? file : MirrorTrial.other).allBytes, "f")
                try FileManager.default.setAttributes(
                    [.modificationDate: Date(timeIntervalSince1970: 1_672_617_600)], ofItemAtPath: harness.path("f"))
                var spec = harness.spec(server.url("/f"))
                spec.pieces = try MirrorTrial.pieces(of: file, length: 250_000)
                (spec.onConflict, spec.verifiesExisting) = (onConflict, true)
                let facts = try await harness.run(spec).get()
                #expect(facts.kept == isRight && facts.verification == .pieces(.sha256))
                #expect(harness.bytes("f") == file.allBytes)
            }
        }
    }

    @Test("a small file without a journal, too", arguments: [true, false])
    func small(resumes: Bool) async throws {
        let file = Resource.file(seed: 5, size: 100_000)
        let resource = file.script { $0.number == 1 ? .flipped(at: 50_000) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.resumes = resumes
                spec.pieces = try MirrorTrial.pieces(of: file, length: 10_000)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == file.allBytes)
                #expect(harness.badPieces == [1])
            }
        }
    }

    @Test(
        "a source with a bad piece, and a right one without ranges: the digest of the file decides", arguments: [1, 4])
    func rightSourceWithoutRanges(connections: Int) async throws {
        let wrong = MirrorTrial.file.script { _ in .flipped(at: 1_100_000) }
        try await FaultServer.run(["/f": wrong, "/m": MirrorTrial.file.withoutRanges()]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.mirrors = [.init(url: server.url("/m"), priority: 2)]
                spec.pieces = try MirrorTrial.pieces(of: MirrorTrial.file, length: 250_000)
                spec.checksum = try Digests.sha256(MirrorTrial.file.allBytes)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            }
        }
    }

    @Test("bad pieces come from another source, and one that brings two of them is left out and named")
    func liar() async throws {
        let lying = MirrorTrial.other.etag("\"x\"").script(.throttle(1_500_000))
        try await MirrorTrial.run(main: Self.slowed, mirror: lying, connections: 2, voucher: .pieces) {
            harness, result, main, mirror in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.excluded == [mirror.url("/g")])
            #expect(harness.badPieces.count >= 1)
        }
    }

    @Test("one flipped bit at a mirror costs one piece")
    func flipped() async throws {
        let wrong = MirrorTrial.file.script { _ in .flipped(at: 2_900_000).throttle(1_500_000) }
        try await MirrorTrial.run(main: Self.slowed, mirror: wrong, connections: 2, voucher: .pieces) {
            harness, result, _, _ in
            _ = try result.get()
            #expect(harness.bytes("f") == MirrorTrial.file.allBytes)
            #expect(harness.badPieces.allSatisfy { $0 == 1 })
        }
    }

    @Test("pieces that are bad everywhere: failed, nothing published", arguments: [1, 2])
    func never(sources: Int) async throws {
        let wrong = MirrorTrial.file.script { _ in .flipped(at: 1_000_000).flipped(at: 10) }
        try await MirrorTrial.run(
            main: wrong, mirror: wrong, voucher: .pieces, { if sources == 1 { $0.mirrors = [] } }
        ) { harness, result, _, _ in
            #expect(result.code == .checksumMismatch)
            #expect(harness.names == [])
        }
    }

    @Test("a file with another number of pieces is another file")
    func otherSize() async throws {
        try await FaultServer.run(["/f": Resource.file(seed: 61, size: 2_000_000)]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                try MirrorTrial.vouch(&spec, .pieces)
                #expect(await harness.run(spec).code == .sourceChanged)
                #expect(harness.names == [])
            }
        }
    }

    @Test("an unknown size is measured against what is expected", arguments: [2_999_999, 3_000_001] as [Int64])
    func unknownSize(size: Int64) async throws {
        let resource = Resource.file(seed: 61, size: size).script { _ in .withoutLength() }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"))
                spec.expectedBytes = MirrorTrial.size
                #expect(await harness.run(spec).code == .sourceChanged)
                #expect(harness.bytes("f") == nil)
            }
        }
    }
}
