import HaulCore
import HaulFiles
import HaulTestData
import HaulTesting
import Testing

/// Digests, piece by piece and along a growing file.
@Suite struct DigestTests {
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

    static func digest(_ bytes: [UInt8], _ algorithm: Checksum.Algorithm) -> String {
        var digest = StreamingDigest(algorithm)
        digest.update(bytes)
        return digest.finalize()
    }

    @Test(arguments: vectors) func knownDigests(algorithm: Checksum.Algorithm, empty: String, abc: String) {
        #expect(Self.digest([], algorithm) == empty)
        var digest = StreamingDigest(algorithm)
        for byte in "abc".utf8 { digest.update([byte]) }
        #expect(digest.finalize() == abc)
        #expect(abc.utf8.count == 2 * algorithm.byteCount)
    }

    @Test(arguments: [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1]) func ofAFile(count: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = Array(
            (Session.content(1) + Session.content(2) + Session.content(3) + Session.content(0)).prefix(count))
        try folder.put(bytes, "file")
        #expect(try StreamingDigest.file(folder.path("file"), .md5) == Self.digest(bytes, .md5))
        #expect(throws: FileError.self) { try StreamingDigest.file(folder.path("none"), .md5) }
    }

    /// Segments arrive out of order; the hasher is told only how far the front reaches.
    @Test(arguments: 0..<6 as Range<UInt64>) func followsTheContiguousPrefix(seed: UInt64) throws {
        let folder = try TemporaryFolder()
        let content = Session.content(1) + Session.content(2) + Session.content(3) + Session.content(0)
        let partial = try PartialFile.open(finalPath: folder.path("f"), sourceID: "", resumes: false)
        _ = try partial.begin(total: Int64(content.count), etag: nil, lastModified: nil)
        let hasher = PrefixHasher(partial, .sha256)
        var generator = SeededGenerator(seed: seed)
        let size = 50_000
        let pieces = (content.count + size - 1) / size
        var isThere = [Bool](repeating: false, count: pieces)
        for piece in (0..<pieces).shuffled(using: &generator) {
            let range = piece * size..<min(content.count, (piece + 1) * size)
            try partial.write(Array(content[range]), at: Int64(range.lowerBound))
            isThere[piece] = true
            let contiguousPrefix = min(content.count, (isThere.firstIndex(of: false) ?? pieces) * size)
            hasher.advance(to: Int64(contiguousPrefix))
            #expect(hasher.offset <= contiguousPrefix)
        }
        #expect(try hasher.finish(total: Int64(content.count)) == Self.digest(content, .sha256))
    }

    @Test func failsOnAShortFileAndEndsWhenCancelled() throws {
        let folder = try TemporaryFolder()
        let partial = try PartialFile.open(finalPath: folder.path("f"), sourceID: "", resumes: false)
        _ = try partial.begin(total: 3, etag: nil, lastModified: nil)
        let hasher = PrefixHasher(partial, .md5)
        #expect(throws: FileError.self) { try hasher.finish(total: 3) }
        hasher.cancel()
        #expect(try hasher.finish(total: 3) == nil)
    }

    @Test func aReadThatFailsIsTold() throws {
        let folder = try TemporaryFolder()
        let faults = SystemCallFaults(every: .pread, .fail(5))
        let partial = try PartialFile.open(
            finalPath: folder.path("f"), sourceID: "", resumes: false, system: faults.system())
        _ = try partial.begin(total: 3, etag: nil, lastModified: nil)
        try partial.write([1, 2, 3], at: 0)
        let hasher = PrefixHasher(partial, .md5)
        hasher.advance(to: 3)
        let error = #expect(throws: FileError.self) { try hasher.finish(total: 3) }
        #expect(error?.operation == .pread)
    }
}
