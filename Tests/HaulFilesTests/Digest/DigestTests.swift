import HaulCore
import HaulDigest
import HaulFiles
import HaulTestData
import HaulTesting
import Testing

/// Digests of files, whole and along a growing one.
@Suite struct DigestTests {
    static func digest(_ bytes: [UInt8], _ algorithm: Checksum.Algorithm) -> String {
        var digest = StreamingDigest(algorithm)
        digest.update(bytes)
        return digest.finalize()
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
