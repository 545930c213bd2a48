import Testing

@testable import HaulCore

@Suite("Partial files of other programs: what may be adopted")
struct ForeignPartialTests {
    static let mebi: Int64 = 1 << 20
    static let total = 40 * mebi

    static func hex(_ text: String) -> [UInt8] {
        let digits = text.filter { $0 != " " }.compactMap { $0.hexDigitValue.map(UInt8.init) }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// As aria2 1.36 left it after three seconds of a file of 40 MiB over four connections.
    static let aria2 = hex(
        "0001 00000000 00000000 00100000 0000000002800000 0000000000000000 00000005 ff3fcff3fc 00000004"
            + "00000008 00100000 00000008 fffffffffff00000 00000012 00100000 00000008 ffffffffff000000"
            + "0000001c 00100000 00000008 ffffffff80000000 00000026 00100000 00000008 fffffffff8000000")
    /// As axel 2.17 left it of the same file.
    static let axel = hex(
        "0400 00002c0200000000 00008a0000000000 0000a00000000000 00002a0100000000 0000400100000000"
            + "0000ce0100000000 0000e00100000000 00006a0200000000 0000800200000000")

    static func found(_ account: ForeignPartial.Account, size: Int64 = total, modified: Int64 = 100) -> ForeignPartial {
        ForeignPartial(path: "/d/f", control: "/d/f.x", account: account, size: size, modified: modified)
    }

    static func ranges(_ pairs: [(Int64, Int64)]) -> [ByteRange] { pairs.map { ByteRange(from: $0.0, to: $0.1) } }

    @Test("a control file of aria2")
    func readsAria2() throws {
        let file = try #require(Aria2ControlFile(decoding: Self.aria2))
        #expect(file.total == Self.total)
        let (piece, block) = (Self.mebi, Int64(16 << 10))
        let expected = Self.ranges([
            (0, 8 * piece + 44 * block), (10 * piece, 18 * piece + 40 * block), (20 * piece, 28 * piece + 33 * block),
            (30 * piece, 38 * piece + 37 * block),
        ])
        #expect(file.pieces == expected)
    }

    @Test("a state file of axel")
    func readsAxel() throws {
        let file = try #require(AxelStateFile(decoding: Self.axel))
        #expect(file.total == Self.total)
        #expect(
            file.pieces
                == Self.ranges([
                    (0, 0x8A_0000), (0xA0_0000, 0x12A_0000), (0x140_0000, 0x1CE_0000), (0x1E0_0000, 0x26A_0000),
                ]))
        var wide = Self.axel
        wide.insert(contentsOf: [0, 0], at: 2)
        #expect(AxelStateFile(decoding: wide)?.pieces == file.pieces)
    }

    @Test("what is cut, or has a byte too many, is nothing")
    func cut() {
        for count in Self.aria2.indices { #expect(Aria2ControlFile(decoding: Array(Self.aria2.prefix(count))) == nil) }
        for count in Self.axel.indices { #expect(AxelStateFile(decoding: Array(Self.axel.prefix(count))) == nil) }
        #expect(Aria2ControlFile(decoding: Self.aria2 + [0]) == nil)
        #expect(AxelStateFile(decoding: Self.axel + [0]) == nil)
    }

    @Test("a bit that is another one: nothing, or pieces in order within the file, and of another size no adoption")
    func flipped() {
        for bit in 0..<Self.aria2.count * 8 {
            var bytes = Self.aria2
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let pieces = try? Self.found(.aria2(bytes)).adoptable(total: Self.total, modified: nil, isVouchedFor: false)
            guard let pieces else { continue }
            // Of the head only the field for uploads, which means nothing here, may be anything.
            #expect((22..<30).contains(bit / 8) || bit / 8 >= 34, "bit \(bit)")
            #expect(zip(pieces, pieces.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
            #expect(pieces.last.map { $0.upperBound <= Self.total } ?? true)
        }
        for bit in 0..<Self.axel.count * 8 {
            var bytes = Self.axel
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            let pieces = try? Self.found(.axel(bytes)).adoptable(total: Self.total, modified: nil, isVouchedFor: false)
            // The number of what is there and the offsets contradict each other.
            #expect(pieces == nil, "bit \(bit)")
        }
    }

    @Test("numbers of the machine in a control file of version 0 have the lowest byte first")
    func versionZero() {
        let bytes = Self.hex(
            "0000 00000000 00000000 00001000 0000300000000000 0000000000000000 01000000 80 00000000")
        let file = Aria2ControlFile(decoding: bytes)
        #expect(file?.total == 3 * Self.mebi && file?.pieces == Self.ranges([(0, Self.mebi)]))
    }

    @Test(
        "control files that are malformed, or are not of one file over HTTP",
        arguments: [
            // Version 2; an info hash is to be checked; there is one; no piece length; no size; too few bits; bits behind the last piece;
            // a piece that is there and on its way; one that is on its way twice; one behind the end; a piece of a wrong length.
            "0002 00000000 00000000 00100000 0000000000300000 0000000000000000 00000001 80 00000000",
            "0001 00000001 00000000 00100000 0000000000300000 0000000000000000 00000001 80 00000000",
            "0001 00000000 00000002 aabb 00100000 0000000000300000 0000000000000000 00000001 80 00000000",
            "0001 00000000 00000000 00000000 0000000000300000 0000000000000000 00000001 80 00000000",
            "0001 00000000 00000000 00100000 0000000000000000 0000000000000000 00000000 00000000",
            "0001 00000000 00000000 00100000 ffffffffffffffff 0000000000000000 00000001 80 00000000",
            "0001 00000000 00000000 00100000 0000000000900001 0000000000000000 00000001 80 00000000",
            "0001 00000000 00000000 00100000 0000000000300000 0000000000000000 00000001 90 00000000",
            "0001 00000000 00000000 00100000 0000000000300000 0000000000000000 00000001 80 00000001"
                + "00000000 00100000 00000008 8000000000000000",
            "0001 00000000 00000000 00100000 0000000000300000 0000000000000000 00000001 80 00000002"
                + "00000001 00100000 00000008 8000000000000000 00000001 00100000 00000008 8000000000000000",
            "0001 00000000 00000000 00100000 0000000000300000 0000000000000000 00000001 80 00000001"
                + "00000003 00100000 00000008 8000000000000000",
            "0001 00000000 00000000 00100000 0000000000300000 0000000000000000 00000001 80 00000001"
                + "00000001 00080000 00000004 80000000",
            "0001 00000000 00000000 00100000 0000000000300000 0000000000000000 00000001 80 ffffffff",
        ])
    func odd(text: String) {
        let bytes = Self.hex(text)
        #expect(Aria2ControlFile(decoding: bytes) == nil)
        #expect(throws: ForeignPartial.Refusal.self) {
            try Self.found(.aria2(bytes), size: 3).adoptable(total: 3 * Self.mebi, modified: nil, isVouchedFor: true)
        }
    }

    @Test("axel: connections that overlap, or reach beyond what there is; and one that has taken over another's rest")
    func axelGaps() throws {
        func state(_ done: Int64, _ gaps: [(Int64, Int64)]) -> AxelStateFile? {
            func word(_ value: Int64) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
            let head = [UInt8(gaps.count), 0] + word(done)
            return AxelStateFile(decoding: head + gaps.flatMap { word($0.0) + word($0.1) })
        }
        #expect(state(50, [(10, 60), (50, 100)]) == nil)
        #expect(state(10, [(100, 200)]) == nil)
        #expect(state(-1, [(10, 20)]) == nil)
        #expect(state(0, []) == nil)
        let taken = try #require(state(70, [(40, 60), (90, 100)]))
        #expect(taken.total == 100 && taken.pieces == Self.ranges([(0, 40), (60, 90)]))
        // The connection that had the end of the file is done and was given the later half of the first one's rest.
        let divided = try #require(state(90, [(45, 50), (55, 60)]))
        #expect(divided.total == 100 && divided.pieces == Self.ranges([(0, 45), (50, 55), (60, 100)]))
    }

    @Test("a beginning: shorter than the file, as long, longer; and with a checksum whatever its date is")
    func prefixes() throws {
        func adoptable(_ size: Int64, modified: Int64?, _ isVouchedFor: Bool) throws -> [ByteRange]? {
            try Self.found(.prefix, size: size).adoptable(total: 1000, modified: modified, isVouchedFor: isVouchedFor)
        }
        #expect(try adoptable(999, modified: 100, false) == [ByteRange(from: 0, to: 999)])
        #expect(try adoptable(1000, modified: nil, false) == nil)
        #expect(throws: ForeignPartial.Refusal.self) { try adoptable(1001, modified: nil, true) }
        #expect(throws: ForeignPartial.Refusal.self) { try adoptable(999, modified: 101, false) }
        #expect(try adoptable(999, modified: 101, true) == [ByteRange(from: 0, to: 999)])
        #expect(throws: ForeignPartial.Refusal.self) {
            try Self.found(.prefix, size: 5).adoptable(total: nil, modified: nil, isVouchedFor: true)
        }
    }

    @Test("a map counts only where the file has bytes, for a file of the same size, and alone")
    func maps() throws {
        let short = Self.found(.aria2(Self.aria2), size: 12 * Self.mebi)
        let pieces = try #require(try short.adoptable(total: Self.total, modified: 50, isVouchedFor: false))
        #expect(pieces.last == ByteRange(from: 10 * Self.mebi, to: 12 * Self.mebi) && pieces.count == 2)
        for (account, total) in [
            (.aria2(Self.aria2), Self.total + 1), (.axel(Self.axel), Self.total + 1), (.both, Self.total),
        ] as [(ForeignPartial.Account, Int64)] {
            #expect(throws: ForeignPartial.Refusal.self) {
                try Self.found(account).adoptable(total: total, modified: 50, isVouchedFor: true)
            }
        }
        #expect(throws: ForeignPartial.Refusal("no part of it is complete")) {
            try Self.found(.aria2(Self.aria2), size: 0).adoptable(total: Self.total, modified: 50, isVouchedFor: true)
        }
    }

    @Test("of many stretches the largest count")
    func many() throws {
        let count = 200
        let head =
            "0001 00000000 00000000 00100000 00000000\(String(400 << 20, radix: 16).leftPadded(8)) 0000000000000000"
        let bytes = Self.hex(head + "00000032" + String(repeating: "aa", count: 49) + "ab" + "00000000")
        let file = try #require(Aria2ControlFile(decoding: bytes))
        #expect(file.pieces.count == count)
        let pieces = try Self.found(.aria2(bytes), size: 400 << 20)
            .adoptable(total: 400 << 20, modified: nil, isVouchedFor: false)
        #expect(pieces?.count == ForeignPartial.pieceLimit)
        #expect(pieces?.last == ByteRange(from: 398 << 20, to: 400 << 20))
    }

    @Test("of a stretch both ends are compared, and samples between; a short one is compared as a whole")
    func samples() {
        let overlap: Int64 = 65_536
        for size in [1, overlap, 2 * overlap, 2 * overlap + 1, 3 * Self.mebi, 9 * Self.mebi, 1 << 40] as [Int64] {
            let stretch = ByteRange(from: 1000, to: 1000 + size)
            let samples = SourceProof.samples(of: stretch, overlap)
            #expect(samples.first?.lowerBound == 1000 && samples.last?.upperBound == 1000 + size)
            #expect(zip(samples, samples.dropFirst()).allSatisfy { $0.upperBound <= $1.lowerBound })
            #expect(samples.count == (size <= 2 * overlap ? 1 : Int(min(6, size >> 22)) + 2))
            #expect(samples.allSatisfy { $0.count == min(size, samples.count == 1 ? size : overlap) })
        }
    }

    @Test("the errors say what to do, and only one of them is that of a control file")
    func errors() {
        let unfinished = DownloadError.unfinished("/d/f", control: "/d/f.aria2")
        #expect(unfinished.isOfUnfinished && unfinished.code == .destinationExists)
        #expect(unfinished.description.contains("/d/f.aria2 is beside it"))
        let refused = DownloadError.notAdopted("/d/f", reason: "it is not")
        #expect(refused.isNotAdopted && !unfinished.isNotAdopted)
        #expect(!refused.isOfUnfinished && refused.description.contains("it is not"))
        #expect(!DownloadError(.destinationExists, "x").isOfUnfinished)
    }
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String {
        String(repeating: "0", count: max(0, width - count)) + self
    }
}
