import HTTPTypes
import Testing

@testable import HaulCore

@Suite("Digests in headers: RFC 9530, RFC 3230, RFC 2616")
struct HeaderDigestTests {
    // The digests of no bytes at all, as the standards' authors and sha256sum(1) give them.
    static let md5 = "1B2M2Y8AsgTpgAmY7PhCfg=="
    static let sha1 = "2jmj7l5rSw0yVb/vlWAYkK/YBwk="
    static let sha256 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    static let sha512 = "z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="

    static func read(_ fields: [String: String], isWhole: Bool = false) -> HeaderDigest? {
        var header = HTTPFields()
        for (name, value) in fields {
            if let name = HTTPField.Name(name) { header.append(HTTPField(name: name, value: value)) }
        }
        return HeaderDigest(ResponseHeaders(header), isWhole: isWhole)
    }

    @Test(
        "the strongest one that is known",
        arguments: [
            ("Repr-Digest", "sha-256=:\(sha256):", Checksum.Algorithm.sha256),
            ("Repr-Digest", "md5=:\(md5):, sha-512=:\(sha512):,sha-256=:\(sha256):", .sha512),
            ("Repr-Digest", "sha-256=:\(sha256):;q=1, crc32c=:AAAAAA==:, x=(1 2), y=\"a,b\", z, t=?0", .sha256),
            ("Digest", "SHA-256=\(sha256)", .sha256), ("digest", "sha=\(sha1), MD5=\(md5)", .sha1),
            ("Digest", "UNIXsum=30637,md5=\(md5)", .md5), ("Digest", "id-SHA-512=\(sha512)", .sha512),
        ])
    func strongest(field: String, value: String, algorithm: Checksum.Algorithm) throws {
        let found = try #require(Self.read([field: value]))
        #expect(found.checksum.algorithm == algorithm)
        let empty = [
            Checksum.Algorithm.md5: "d41d8cd9", .sha1: "da39a3ee", .sha256: "e3b0c442", .sha512: "cf83e135",
        ]
        #expect(found.checksum.hex.hasPrefix(try #require(empty[algorithm])))
        #expect(found.field.lowercased() == field.lowercased())
    }

    @Test(
        "what says nothing",
        arguments: [
            ("Repr-Digest", ""), ("Repr-Digest", "sha-256=\(sha256)"), ("Repr-Digest", "SHA-256=:\(sha256):"),
            ("Repr-Digest", "sha-256=:\(sha256)"), ("Repr-Digest", "sha-256=:AAAA:"), ("Repr-Digest", "sha-256=?1"),
            ("Repr-Digest", "sha-256=(:\(sha256):)"), ("Repr-Digest", "sha-256=:\(sha256):, broken=="),
            ("Digest", "sha-256"), ("Digest", "sha-256="), ("Digest", "sha-256=!!!!"), ("Digest", "=\(sha256)"),
            ("Digest", "sha-384=\(sha512)"), ("Digest", "md5=\(sha256)"), ("Content-MD5", md5),
            ("Content-Digest", "sha-256=:\(sha256):"), ("Want-Repr-Digest", "sha-256=1"),
        ])
    func nothing(field: String, value: String) {
        #expect(Self.read([field: value]) == nil)
    }

    @Test("Content-MD5 is of the body that is sent: it counts for a whole only")
    func contentMD5() throws {
        #expect(Self.read(["Content-MD5": Self.md5]) == nil)
        let found = try #require(Self.read(["Content-MD5": " \(Self.md5) "], isWhole: true))
        #expect(found.field == "Content-MD5" && found.checksum.hex.hasPrefix("d41d8cd9"))
        let both = try #require(
            Self.read(["Content-MD5": Self.md5, "Digest": "sha-256=\(Self.sha256)"], isWhole: true))
        #expect(both.field == "Digest")
    }

    @Test("with a content coding they are of other bytes")
    func coded() {
        let digest = ["Repr-Digest": "sha-256=:\(Self.sha256):"]
        #expect(Self.read(digest.merging(["Content-Encoding": "gzip"]) { one, _ in one }) == nil)
        #expect(Self.read(digest.merging(["Content-Encoding": "identity"]) { one, _ in one }) != nil)
    }

    @Test("a value too long to be a digest is not read")
    func long() {
        let filler = String(repeating: "x=1, ", count: 1000)
        #expect(Self.read(["Repr-Digest": filler + "sha-256=:\(Self.sha256):"]) == nil)
    }

    @Test("any bytes are survived, and what is taken has the right length", arguments: 0..<64 as Range<UInt64>)
    func fuzz(seed: UInt64) {
        var texts = FuzzText(seed: seed)
        let pieces = [
            "sha-256", "md5", "sha", "=", ":", ",", ";", " ", "\"", "(", ")", Self.sha256, Self.md5, "?1", "-",
            "99999999999999999",
            "id-", "==", "@1", "%\"",
        ]
        for _ in 0..<200 {
            let kinds = [
                texts.noise(), texts.mixture(of: pieces), texts.mutation(of: "sha-256=:\(Self.sha256):,a=1"),
            ]
            for text in kinds {
                for checksum in HeaderDigest.reprDigest(text) + HeaderDigest.digest(text) {
                    #expect(checksum.hex.utf8.count == checksum.algorithm.byteCount * 2)
                }
            }
        }
    }
}
