/// The header of a regular file in a tar: ustar (POSIX.1-1988), with a pax record (POSIX.1-2001) for a name or a size that
/// ustar can't hold.
package struct TarHeader: Hashable, Sendable {
    /// The size of a block.
    package static let block = 512
    /// The end of a tar.
    package static let end = [UInt8](repeating: 0, count: 2 * block)
    /// The largest size that eleven octal digits can hold.
    static let maxUstarSize: Int64 = 0o77_777_777_777

    /// The name of the member.
    package var name: String
    /// The size of its content in bytes.
    package var size: Int64
    /// The modification time in seconds since 1970.
    package var modified: Int64

    /// Creates a header.
    package init(name: String, size: Int64, modified: Int64) {
        (self.name, self.size, self.modified) = (name, size, modified)
    }

    /// Returns the number of bytes that fill the last block of a content.
    package static func padding(_ size: Int64) -> Int { Int((512 - size % 512) % 512) }

    /// Appends the header.
    package func write(to bytes: inout [UInt8]) {
        var records: [UInt8] = []
        let isLong = name.utf8.count > 100
        if isLong || !name.utf8.allSatisfy({ $0 < 0x80 }) { records += Self.record("path", name) }
        if size > Self.maxUstarSize { records += Self.record("size", String(size)) }
        if !records.isEmpty {
            Self.block(
                name: Array("pax_header".utf8), size: Int64(records.count), modified: modified, type: "x", to: &bytes)
            bytes += records
            bytes += repeatElement(0, count: Self.padding(Int64(records.count)))
        }
        Self.block(
            name: Array(name.utf8.prefix(100)), size: min(size, Self.maxUstarSize), modified: modified, type: "0",
            to: &bytes)
    }

    /// Returns a pax record: its own length, a key and a value.
    static func record(_ key: String, _ value: String) -> [UInt8] {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        // The digits of the length are part of the length.
        while String(length).utf8.count + rest.utf8.count > length {
            length = String(length).utf8.count + rest.utf8.count
        }
        return Array((String(length) + rest).utf8)
    }

    private static func block(
        name: [UInt8], size: Int64, modified: Int64, type: Unicode.Scalar, to bytes: inout [UInt8]
    ) {
        let start = bytes.count
        bytes += repeatElement(0, count: block)
        func put(_ text: some Sequence<UInt8>, at offset: Int) {
            for (index, byte) in text.enumerated() { bytes[start + offset + index] = byte }
        }
        put(name, at: 0)
        put("0000644".utf8, at: 100)
        put("0000000".utf8, at: 108)
        put("0000000".utf8, at: 116)
        put(octal(size), at: 124)
        put(octal(max(0, modified)), at: 136)
        put(repeatElement(0x20, count: 8), at: 148)
        bytes[start + 156] = UInt8(ascii: type)
        put("ustar\u{0}00".utf8, at: 257)
        let sum = bytes[start...].reduce(0) { $0 + Int($1) }
        put(octal(Int64(sum)).suffix(6) + [0, 0x20], at: 148)
    }

    /// Returns eleven octal digits.
    private static func octal(_ number: Int64) -> [UInt8] {
        (0..<11).map { UInt8(ascii: "0") + UInt8(truncatingIfNeeded: (number >> (3 * (10 - $0))) & 7) }
    }
}

/// Reads the headers of a tar from its start, to find out if it can be read to its end.
package struct TarWalk: Hashable, Sendable {
    /// A block that is not a valid header.
    package struct Fault: Error, Hashable, Sendable {
        /// The problem, in a few words.
        package let problem: String
    }

    /// The next thing in the tar.
    package enum Step: Hashable, Sendable {
        /// A regular file, whose content begins at an offset.
        case file(name: String, offset: Int64, size: Int64)
        /// A pax header of this size; pass its content to `extend`.
        case extend(offset: Int64, size: Int64)
        /// The end of the archive.
        case end
    }

    /// The largest size of a tar.
    private static let maxSize: Int64 = 1 << 62

    /// The offset of the next header.
    package private(set) var position: Int64
    private var path: String?
    private var size: Int64?

    /// Starts at an offset.
    package init(at offset: Int64 = 0) { position = offset }

    /// Reads the header at `position`.
    package mutating func read(_ block: ArraySlice<UInt8>) throws(Fault) -> Step {
        guard block.count == TarHeader.block else { throw Fault(problem: "it ends without an end mark") }
        let start = block.startIndex
        if block.allSatisfy({ $0 == 0 }) { return .end }
        let stored = Self.octal(block[start + 148..<start + 156])
        var sum = block.reduce(0) { $0 + Int64($1) }
        sum += 8 * 0x20 - block[start + 148..<start + 156].reduce(0) { $0 + Int64($1) }
        guard stored == sum else { throw Fault(problem: "the header at \(position) has a wrong checksum") }
        guard let length = Self.octal(block[start + 124..<start + 136]) else {
            throw Fault(problem: "the header at \(position) has no size")
        }
        let content = position + Int64(TarHeader.block)
        switch block[start + 156] {
        case UInt8(ascii: "x"):
            guard length <= 1 << 20 else { throw Fault(problem: "the header at \(position) is too large") }
            position = content + length + Int64(TarHeader.padding(length))
            return .extend(offset: content, size: length)
        case UInt8(ascii: "0"), 0:
            let name = path ?? String(decoding: block[start..<start + 100].prefix { $0 != 0 }, as: UTF8.self)
            let real = size ?? length
            // So that no sum of sizes overflows.
            guard real >= 0, real <= Self.maxSize - position else {
                throw Fault(problem: "the header at \(position) has an impossible size")
            }
            position = content + real + Int64(TarHeader.padding(real))
            (path, size) = (nil, nil)
            return .file(name: name, offset: content, size: real)
        default: throw Fault(problem: "the header at \(position) is of another kind")
        }
    }

    /// Takes the content of a pax header.
    package mutating func extend(_ records: ArraySlice<UInt8>) throws(Fault) {
        var rest = records
        while !rest.isEmpty {
            let digits = rest.prefix { $0 != 0x20 }
            guard let length = Int(String(decoding: digits, as: UTF8.self)), length > digits.count + 1,
                length <= rest.count
            else { throw Fault(problem: "a pax header before \(position) is invalid") }
            let record = rest.prefix(length).dropFirst(digits.count + 1).dropLast()
            rest = rest.dropFirst(length)
            let key = record.prefix { $0 != UInt8(ascii: "=") }
            let value = String(decoding: record.dropFirst(key.count + 1), as: UTF8.self)
            switch String(decoding: key, as: UTF8.self) {
            case "path": path = value
            case "size": size = Int64(value)
            default: continue
            }
        }
    }

    private static func octal(_ field: ArraySlice<UInt8>) -> Int64? {
        let digits = field.drop { $0 == 0x20 }.prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
        return digits.isEmpty ? nil : digits.reduce(0) { $0 << 3 | Int64($1 & 7) }
    }
}
