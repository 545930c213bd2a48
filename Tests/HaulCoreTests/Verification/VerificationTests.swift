import Foundation
import HaulCore
import Testing

@Suite("What the result says of verification")
struct VerificationTests {
    static func sum() throws -> Checksum { try Checksum(.sha256, hex: String(repeating: "ab", count: 32)) }

    @Test("in words")
    func words() throws {
        let sum = try Self.sum()
        let words: [(Verification, String)] = [
            (.checksum(sum, .given), "verified by sha-256 (given)"),
            (.checksum(sum, .header(name: "Digest", host: "h")), "verified by sha-256 (from the server's header)"),
            (.checksum(sum, .file("http://h/x/SHA256SUMS?k=REDACTED")), "verified by sha-256 (from SHA256SUMS)"),
            (.checksum(sum, .file("/a/b\u{1B}.md5")), "verified by sha-256 (from b\u{FFFD}.md5)"),
            (.sizeAndDate, "no checksum available, same size and date"), (.size, "no checksum available"),
            (.nothing, "no checksum or size available"),
        ]
        for (verification, text) in words { #expect(verification.description == text) }
    }

    @Test("facts come back as they were, and those of an older version are read")
    func facts() throws {
        let sum = try Self.sum()
        for verification in [
            Verification.checksum(sum, .header(name: "Repr-Digest", host: "h")), .checksum(sum, .file("http://h/s")),
            .checksum(sum, .given), .size, .sizeAndDate, .nothing,
        ] {
            var facts = FinishFacts(
                path: "/f", totalBytes: 5, sessionBytes: 5, seconds: 1, verification: verification, kept: false)
            facts.file = FileIdentity(device: 1, inode: 2)
            let again = try JSONDecoder().decode(FinishFacts.self, from: try JSONEncoder().encode(facts))
            #expect(again == facts && again.verified == verification.checksum)
        }
        func old(_ verified: String) throws -> FinishFacts {
            let text = #"{"path":"/f","totalBytes":5,"sessionBytes":5,"seconds":1,"kept":false"# + verified + "}"
            return try JSONDecoder().decode(FinishFacts.self, from: Data(text.utf8))
        }
        #expect(try old("").verification == .size)
        let verified = #","verified":{"algorithm":"sha256","hex":"\#(sum.hex)"}"#
        #expect(try old(verified).verification == .checksum(sum, .given))
    }

    @Test("a digest alone: its length shows the algorithm")
    func digestAlone() throws {
        for algorithm in Checksum.Algorithm.allCases {
            let hex = String(repeating: "aF", count: algorithm.byteCount)
            #expect(try Checksum(parsing: hex) == Checksum(algorithm, hex: hex))
        }
        for text in ["", "abc", String(repeating: "a", count: 63), String(repeating: "x", count: 64)] {
            #expect(throws: DownloadError.self) { try Checksum(parsing: text) }
        }
    }

    @Test("a mismatch names both digests and where the wrong one may come from")
    func mismatch() throws {
        let sum = try Self.sum()
        let other = String(repeating: "0", count: 64)
        let origins: [(ChecksumOrigin, DownloadError.Detail?)] = [
            (.given, nil), (.header(name: "Digest", host: "h"), .headerChecksum),
            (.file("http://h/SHA256SUMS"), .foundChecksum),
        ]
        for (origin, kind) in origins {
            let error = FoundChecksum(sum, origin).mismatch(hex: other)
            #expect(error.code == .checksumMismatch && error.cause?.contains(other) == true)
            #expect(error.detail == kind && !error.message.contains("--"))
            guard let detail = origin.detail else { continue }
            #expect(error.message.contains(sum.hex))
            #expect(error.message.contains(detail.split(separator: " ").last ?? ""))
        }
    }
}
