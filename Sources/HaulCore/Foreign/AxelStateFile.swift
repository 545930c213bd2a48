/// axel's state file `NAME.st` of an unfinished download, which lists the missing range of each connection.
///
/// The format of axel 2.17 on a little-endian machine: the number of connections (two bytes, in older versions four),
/// the number of bytes received (eight), and for each connection the offset of its next byte and the end of its range
/// (eight each).
package struct AxelStateFile: Hashable, Sendable {
    /// The size of the complete file.
    package let total: Int64
    /// The byte ranges that are complete: sorted, disjoint, with gaps between them, none empty.
    package let pieces: [ByteRange]

    /// The maximum size of a state file that is read.
    package static let byteLimit = 12 + 16 * connectionLimit
    private static let connectionLimit = 65_535

    /// Parses a state file; nil for any invalid content.
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
            // A finished connection has nothing missing; its end may be out of date, because axel can give it the rest
            // of another one.
            if next < end { missing.append(ByteRange(from: next, to: end)) }
        }
        missing.sort { $0.lowerBound < $1.lowerBound }
        let total = missing.reduce(done) { $0.saturatingSum($1.count) }
        var pieces: [ByteRange] = []
        var position: Int64 = 0
        for gap in missing {
            // Valid ranges do not overlap and do not exceed the file.
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
