import Testing

@testable import HaulCore

@Suite("Who brought which bytes")
struct SourceLedgerTests {
    @Test("ranges without ranges, in all small cases")
    func without() {
        for start in 0...5 {
            for end in start...6 {
                let (one, other) = (ByteRange(from: 1, to: 5), ByteRange(from: Int64(start), to: Int64(end)))
                let left = one.without(other).flatMap { Array($0.lowerBound..<$0.upperBound) }
                #expect(left == (Int64(1)..<5).filter { !other.contains($0) })
            }
        }
    }

    @Test("the later fetch has brought what stands there")
    func contributors() {
        var ledger = SourceLedger()
        ledger.note(fetch: 1, source: 0, ByteRange(from: 0, to: 100))
        ledger.note(fetch: 2, source: 1, ByteRange(from: 100, to: 150))
        ledger.note(fetch: 2, source: 1, ByteRange(from: 100, to: 200))
        ledger.note(fetch: 3, source: 2, ByteRange(from: 50, to: 120))
        #expect(ledger.sources == [0, 1, 2])
        #expect(ledger.contributors(of: ByteRange(from: 0, to: 50)).sources == [0])
        #expect(ledger.contributors(of: ByteRange(from: 50, to: 100)).sources == [2])
        #expect(ledger.contributors(of: ByteRange(from: 40, to: 130)).sources == [0, 1, 2])
        #expect(ledger.contributors(of: ByteRange(from: 190, to: 210)).areAll == false)
        #expect(ledger.contributor(before: 60) == 2)
        #expect(ledger.contributor(before: 50) == 0)
        #expect(ledger.contributor(before: 500) == nil)
    }

    @Test("digests of pieces that make no file are refused, and ranges never overflow")
    func pieces() throws {
        let hash = String(repeating: "a", count: 32)
        for (length, count) in [(0, 1), (-1, 1), (Int64.max, 2), (10, 0)] as [(Int64, Int)] {
            #expect(throws: DownloadError.self) {
                try PieceHashes(length: length, algorithm: .md5, hashes: Array(repeating: hash, count: count))
            }
        }
        let pieces = try PieceHashes(length: 10, algorithm: .md5, hashes: [hash, hash])
        #expect((0...25).filter { pieces.fits(total: $0) } == Array(11...20))
        #expect(pieces.range(of: 1, total: 15) == ByteRange(10, 15))
        #expect(pieces.range(of: Int.max, total: 15).isEmpty)
        let huge = try PieceHashes(length: .max, algorithm: .md5, hashes: [hash])
        #expect(huge.range(of: 0, total: 15) == ByteRange(0, 15))
    }
}
