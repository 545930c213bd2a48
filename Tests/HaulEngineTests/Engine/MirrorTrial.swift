import Haul
import HaulCore
import HaulTesting
import Testing

/// Two servers of one file, and what vouches for its bytes.
enum MirrorTrial {
    static let size: Int64 = 3_000_000
    static let file = Resource.file(seed: 61, size: size)
    /// Of the same size, with other bytes.
    static let other = Resource.file(seed: 62, size: size)

    /// What says at the end that the bytes are right.
    enum Voucher: CaseIterable {
        case nothing, checksum, pieces
    }

    /// Main server, mirror, and a download from both.
    static func run(
        main: Resource, mirror: Resource?, connections: Int = 4, voucher: Voucher = .nothing,
        _ change: (inout DownloadSpec) -> Void = { _ in },
        _ body: (EngineHarness, Result<FinishFacts, DownloadError>, FaultServer, FaultServer) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": main]) { first in
            try await FaultServer.run(mirror.map { ["/g": $0] } ?? [:]) { second in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: connections)
                    spec.mirrors = [DownloadSpec.Mirror(url: second.url("/g"))]
                    try vouch(&spec, voucher)
                    change(&spec)
                    try await body(harness, await harness.run(spec), first, second)
                }
            }
        }
    }

    static func vouch(_ spec: inout DownloadSpec, _ voucher: Voucher) throws {
        switch voucher {
        case .nothing: break
        case .checksum: spec.checksum = try Digests.sha256(file.allBytes)
        case .pieces: spec.pieces = try pieces(of: file, length: 250_000)
        }
    }

    static func pieces(of resource: Resource, length: Int64) throws -> PieceHashes {
        let hashes = try stride(from: 0, to: resource.size, by: Int64.Stride(length)).map {
            try Digests.sha256(resource.bytes($0..<min($0 + length, resource.size))).hex
        }
        return try PieceHashes(length: length, algorithm: .sha256, hashes: hashes)
    }
}

extension EngineHarness {
    /// The sources that were left out, by URL.
    var excluded: [String] {
        events.compactMap { if case .notice(.sourceExcluded(let url, _)) = $0 { url } else { nil } }
    }

    /// How many pieces were bad, round by round.
    var badPieces: [Int] {
        events.compactMap { if case .notice(.badPieces(let count)) = $0 { count } else { nil } }
    }
}
