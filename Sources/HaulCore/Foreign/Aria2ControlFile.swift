/// aria2's control file `NAME.aria2` of an unfinished download, which lists the complete pieces.
///
/// The format is "Control File (*.aria2) Format" in aria2's technical notes: version, extension, info hash, piece
/// length, total length, upload length, bit field, and the pieces in progress with a bit for each 16 KiB. Numbers are
/// big-endian in version 1 and in the machine's byte order in version 0, of which only little-endian is read. A file
/// that deviates from the format is rejected.
package struct Aria2ControlFile: Hashable, Sendable {
    /// The size of the complete file.
    package let total: Int64
    /// The byte ranges that are complete: sorted, disjoint, with gaps between them, none empty.
    package let pieces: [ByteRange]

    /// The maximum size of a control file that is read: the bits of eight million pieces of 1 MiB or more.
    package static let byteLimit = 1 << 20
    /// The size of the blocks that aria2 divides a piece into.
    private static let blockLength: Int64 = 16 << 10

    /// Parses a control file; nil for any invalid content.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count >= 2, bytes[0] == 0, bytes[1] <= 1, bytes.count <= Self.byteLimit else { return nil }
        var reader = WordReader(bytes, isBigEndian: bytes[1] == 1)
        guard reader.number(2) != nil, let layout = Layout(&reader) else { return nil }
        var stretches = layout.finished
        guard let flying = reader.number(4), flying <= layout.count else { return nil }
        var seen: Set<Int64> = []
        for _ in 0..<flying {
            guard let index = reader.number(4), index < layout.count, seen.insert(index).inserted,
                !layout.hasPiece(index), let length = reader.number(4), length == layout.piece(index).count,
                let size = reader.number(4),
                size == Self.bytesOfBits((length + Self.blockLength - 1) / Self.blockLength),
                let bits = reader.take(Int(size))
            else { return nil }
            let blocks = (length + Self.blockLength - 1) / Self.blockLength
            guard Self.padsWithZeros(bits, blocks) else { return nil }
            let start = layout.piece(index).lowerBound
            for block in 0..<blocks where Self.isSet(bits, block) {
                let end = min(length, (block + 1) * Self.blockLength)
                stretches.append(ByteRange(from: start + block * Self.blockLength, to: start + end))
            }
        }
        guard reader.isAtEnd else { return nil }
        total = layout.total
        pieces = stretches.joined()
    }

    /// The header of the file and the bit field of the pieces.
    private struct Layout {
        let total: Int64
        let length: Int64
        let bits: [UInt8]

        init?(_ reader: inout WordReader) {
            // The lowest bit of the extension requires an info hash, as for BitTorrent; the other bits are undefined.
            guard let flags = reader.number(4), flags == 0, let hash = reader.number(4), hash == 0,
                let length = reader.number(4), length > 0, let total = reader.number(8), total > 0,
                reader.number(8) != nil, let size = reader.number(4)
            else { return nil }
            let count = total / length + (total % length == 0 ? 0 : 1)
            guard size == Aria2ControlFile.bytesOfBits(count), let bits = reader.take(Int(size)),
                Aria2ControlFile.padsWithZeros(bits, count)
            else { return nil }
            self.total = total
            self.length = length
            self.bits = bits
        }

        var count: Int64 { total / length + (total % length == 0 ? 0 : 1) }

        func piece(_ index: Int64) -> ByteRange {
            ByteRange(from: index * length, to: index + 1 == count ? total : (index + 1) * length)
        }

        func hasPiece(_ index: Int64) -> Bool { Aria2ControlFile.isSet(bits, index) }

        var finished: [ByteRange] { (0..<count).filter(hasPiece).map(piece) }
    }

    private static func bytesOfBits(_ count: Int64) -> Int64 { count / 8 + (count % 8 == 0 ? 0 : 1) }

    /// Returns a bit; the highest bit of the first byte has index 0.
    private static func isSet(_ bits: [UInt8], _ index: Int64) -> Bool {
        bits[Int(index / 8)] & (0x80 >> UInt8(index % 8)) != 0
    }

    /// Returns true if the padding bits after the last piece are zero.
    private static func padsWithZeros(_ bits: [UInt8], _ count: Int64) -> Bool {
        (count..<Int64(bits.count) * 8).allSatisfy { !isSet(bits, $0) }
    }
}

extension [ByteRange] {
    /// Returns the same bytes as sorted ranges with gaps between them, none of them empty.
    func joined() -> [ByteRange] {
        var result: [ByteRange] = []
        for range in filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = ByteRange(
                    from: last.lowerBound, to: Swift.max(last.upperBound, range.upperBound))
            } else {
                result.append(range)
            }
        }
        return result
    }
}
