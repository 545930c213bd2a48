/// What axel notes beside an unfinished file, in `NAME.st`: what each of its connections still has to bring.
///
/// As axel 2.17 writes it on a machine that has the lowest byte first: the number of connections (two bytes, in older versions four), the
/// bytes that are there (eight), and for each connection the offset of its next byte and that behind its last one (eight each).
package struct AxelStateFile: Hashable, Sendable {
    /// The size of the finished file.
    package let total: Int64
    /// The stretches that are there: in order, with gaps between them, none empty.
    package let pieces: [ByteRange]

    /// The most that is read of a state file.
    package static let byteLimit = 12 + 16 * connectionLimit
    private static let connectionLimit = 65_535

    /// Reads a whole state file, whatever its bytes are.
    package init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit, bytes.count > 10 else { return nil }
        let width = bytes.count % 16 == 10 ? 2 : bytes.count % 16 == 12 ? 4 : 0
        var reader = WordReader(bytes, isBigEndian: false)
        guard width > 0, let count = reader.number(width), count == (bytes.count - 8 - width) / 16,
            let done = reader.number(8)
        else { return nil }
        var missing: [ByteRange] = []
        for _ in 0..<count {
            guard let next = reader.number(8), let end = reader.number(8) else { return nil }
            // One that is done has nothing left; it may have been given the rest of another one since, so its end tells nothing.
            if next < end { missing.append(ByteRange(from: next, to: end)) }
        }
        missing.sort { $0.lowerBound < $1.lowerBound }
        let total = missing.reduce(done) { $0.saturatingSum($1.count) }
        var pieces: [ByteRange] = []
        var position: Int64 = 0
        for gap in missing {
            // Two connections never bring the same byte, and none brings one behind the end.
            guard gap.lowerBound >= position, gap.upperBound <= total else { return nil }
            pieces.append(ByteRange(from: position, to: gap.lowerBound))
            position = gap.upperBound
        }
        pieces.append(ByteRange(from: position, to: total))
        pieces.removeAll(where: \.isEmpty)
        guard total > 0, total < .max else { return nil }
        self.total = total
        self.pieces = pieces
    }
}
