import Haul
import HaulCore
import HaulFiles
import HaulTestData
import HaulTesting
import Testing

@testable import HaulEngine

/// How the bytes of a fetch get into the file.
@Suite("Writing a segment")
struct SegmentWriterTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes bytes in pieces of these sizes; the sizes of what was written to the file.
    private func writes(_ bytes: [UInt8], _ pieces: [Int]) throws -> [Int] {
        let faults = SystemCallFaults()
        let partial = try PartialFile.open(
            finalPath: folder.path("f"), sourceID: "source", resumes: true, system: faults.system())
        defer { partial.close() }
        let total = Int64(bytes.count)
        let slots = try partial.begin(total: total, etag: nil, lastModified: nil)
        let cursor = SegmentCursor(position: 0, end: total)
        var writer = SegmentWriter(.file(partial, slots[0]), cursor: cursor, position: 0, overlap: 0)
        var offset = 0
        for count in pieces {
            let piece = Array(bytes[offset..<min(offset + count, bytes.count)])
            // Safe: the bytes of an array of integers are initialised, and it outlives the call.
            let isTaken = unsafe writer.take(piece.span.bytes)
            #expect(isTaken)
            offset += piece.count
        }
        writer.flush()
        #expect(offset == bytes.count && cursor.written == total && writer.failure == nil)
        #expect(folder.bytes("f.part") == bytes)
        return faults.calls.compactMap {
            if case .pwrite(let path, _, let count) = $0, path.hasSuffix(".part") { count } else { nil }
        }
    }

    @Test("pieces of any sizes stand in the file in their order", arguments: 0..<12 as Range<UInt64>)
    func anySizes(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bytes = Resource.file(seed: seed, size: 3_000_000).allBytes
        var pieces: [Int] = []
        while pieces.reduce(0, +) < bytes.count {
            pieces.append((1 << Int.random(in: 0...19, using: &generator)) + Int.random(in: 0...3, using: &generator))
        }
        #expect(try writes(bytes, pieces).reduce(0, +) == bytes.count)
    }

    @Test("a piece of 64 KiB or more is written as it came, after what was gathered before it")
    func largeOnes() throws {
        let bytes = Resource.file(seed: 99, size: 1_000_000).allBytes
        let sizes = [65_536, 65_536, 300_000, 100_000, 65_536]
        let rest = bytes.count - sizes.reduce(0, +)
        #expect(try writes(bytes, sizes + [rest]) == sizes + [rest])
    }
}
