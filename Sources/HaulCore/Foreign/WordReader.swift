/// Reads numbers and stretches of bytes one behind the other, and never beyond the end.
struct WordReader {
    private let bytes: [UInt8]
    private var position = 0
    private let isBigEndian: Bool

    init(_ bytes: [UInt8], isBigEndian: Bool) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
    }

    /// Whether every byte was read.
    var isAtEnd: Bool { position == bytes.count }

    /// The next number of so many bytes; nil where fewer are left, or it does not fit.
    mutating func number(_ width: Int) -> Int64? {
        guard let taken = take(width) else { return nil }
        let value = (isBigEndian ? taken : taken.reversed()).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int64(exactly: value)
    }

    /// The next bytes; nil where fewer are left.
    mutating func take(_ count: Int) -> [UInt8]? {
        guard count >= 0, count <= bytes.count - position else { return nil }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }
}
