/// Reads numbers and byte sequences one after the other, never beyond the end.
struct WordReader {
    private let bytes: [UInt8]
    private var position = 0
    private let isBigEndian: Bool

    init(_ bytes: [UInt8], isBigEndian: Bool) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
    }

    /// True if every byte was read.
    var isAtEnd: Bool { position == bytes.count }

    /// Reads a number of `width` bytes; nil if there are fewer, or the number does not fit.
    mutating func number(_ width: Int) -> Int64? {
        guard let taken = take(width) else { return nil }
        let value = (isBigEndian ? taken : taken.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(exactly: value)
    }

    /// Reads `count` bytes; nil if there are fewer.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}
