import HaulCore
import HaulDigest
import Testing

@Suite struct StreamingDigestTests {
    /// RFC 1321 A.5 and FIPS 180-2: the digests of nothing and of "abc".
    static let vectors: [(Checksum.Algorithm, empty: String, abc: String)] = [
        (.md5, "d41d8cd98f00b204e9800998ecf8427e", "900150983cd24fb0d6963f7d28e17f72"),
        (.sha1, "da39a3ee5e6b4b0d3255bfef95601890afd80709", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            .sha256, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        ),
        (
            .sha512,
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        ),
    ]

    @Test(arguments: vectors) func knownDigests(algorithm: Checksum.Algorithm, empty: String, abc: String) {
        var digest = StreamingDigest(algorithm)
        #expect(digest.finalize() == empty)
        for letter in "abc" { digest.update(String(letter)) }
        #expect(digest.finalize() == abc)
        #expect(digest.bytes.count == algorithm.byteCount && abc.utf8.count == 2 * algorithm.byteCount)
    }

    /// FIPS 180-2, appendixes A.3 to C.3; RFC 1321 has none, md5sum gives this one.
    @Test(arguments: [
        (Checksum.Algorithm.md5, "7707d6ae4e027c70eea2a935c2296f21"),
        (.sha1, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
        (.sha256, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        (
            .sha512,
            "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        ),
    ])
    func aMillionLettersInUnevenPieces(algorithm: Checksum.Algorithm, expected: String) {
        let letters = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        var digest = StreamingDigest(algorithm)
        var (start, size) = (0, 0)
        while start < letters.count {
            let end = min(letters.count, start + size)
            // Safe: a UInt8 has no padding.
            digest.update(unsafe letters.span.bytes.extracting(start..<end))
            (start, size) = (end, size % 257 + 1)
        }
        #expect(digest.finalize() == expected)
    }

    @Test func aCopyIsIndependent() {
        var digest = StreamingDigest(.sha256)
        digest.update("a")
        var copy = digest
        copy.update("bc")
        digest.update("x")
        #expect(copy.finalize() == StreamingDigest.sha256(of: "abc"))
        #expect(digest.finalize() == StreamingDigest.sha256(of: "ax"))
    }
}
