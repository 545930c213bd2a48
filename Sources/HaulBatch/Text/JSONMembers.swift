/// Reads the members of one JSON object, one after the other (RFC 8259).
///
/// A caller that needs only the first members can stop early. Values are returned as they are written, so that they can
/// be copied without a loss of digits.
package struct JSONMembers {
    /// A text that is not a JSON object.
    package struct Fault: Error, Hashable, Sendable {
        /// Creates the error.
        package init() {}
    }

    /// A value as it is written.
    package struct Value {
        /// The bytes of the value.
        package let raw: ArraySlice<UInt8>

        /// The content of a string; nil if the value is not a string.
        package var string: String? {
            guard raw.first == UInt8(ascii: "\"") else { return nil }
            let content = raw.dropFirst().dropLast()
            guard content.contains(UInt8(ascii: "\\")) else { return String(decoding: content, as: UTF8.self) }
            return JSONMembers.unescaped(content)
        }

        /// The value of a whole number; nil if the value is not one.
        package var integer: Int64? { Int64(String(decoding: raw, as: UTF8.self)) }

        /// The content of a string, or a number as it is written; nil for anything else.
        package var text: String? {
            guard let first = raw.first else { return nil }
            if first == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) {
                return String(decoding: raw, as: UTF8.self)
            }
            return string
        }

        /// True if the value is a string with half of a surrogate pair: `string` has U+FFFD in its place.
        package var hasHalfPair: Bool {
            guard raw.first == UInt8(ascii: "\"") else { return false }
            var index = raw.startIndex
            while let start = raw[index...].firstIndex(of: UInt8(ascii: "\\")) {
                let (count, isHalf) = JSONMembers.escape(in: raw, at: start)
                if isHalf { return true }
                index = start + count
            }
            return false
        }

        /// Appends the value as it is written, but without white space between tokens, and with U+FFFD for half of a
        /// surrogate pair.
        ///
        /// Many readers take a carriage return for the end of a line, and reject half of a pair.
        package func append(to bytes: inout [UInt8]) {
            let isString = raw.first == UInt8(ascii: "\"")
            guard raw.contains(where: { $0 == UInt8(ascii: "\\") || !isString && $0 <= 0x20 }) else {
                bytes += raw
                return
            }
            var (index, isQuoted) = (raw.startIndex, false)
            while index < raw.endIndex {
                let byte = raw[index]
                guard byte != UInt8(ascii: "\\") else {
                    let (count, isHalf) = JSONMembers.escape(in: raw, at: index)
                    if isHalf { bytes += #"\ufffd"#.utf8 } else { bytes += raw[index..<index + count] }
                    index += count
                    continue
                }
                if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
                if isQuoted || byte > 0x20 { bytes.append(byte) }
                index += 1
            }
        }

        /// True if the value is null.
        package var isNull: Bool { raw.first == UInt8(ascii: "n") }
    }

    /// The maximum depth of nested values in rows; results, which contain them, may be deeper.
    package static let maxRowDepth = 60

    private let maxDepth: Int
    private let bytes: ArraySlice<UInt8>
    private var position: Int
    private var isFirst = true

    /// Starts to read an object.
    ///
    /// - Parameter maxDepth: The maximum depth of nested values.
    /// - Throws: `Fault` if the text does not begin with `{`.
    package init(_ bytes: ArraySlice<UInt8>, maxDepth: Int = 64) throws(Fault) {
        (self.bytes, self.maxDepth) = (bytes, maxDepth)
        position = bytes.startIndex
        skipSpace()
        try expect(UInt8(ascii: "{"))
    }

    /// Returns the next member; nil at the end of the object.
    ///
    /// - Throws: `Fault` if the text is not a valid object that ends the text.
    package mutating func next() throws(Fault) -> (name: String, value: Value)? {
        skipSpace()
        if peek == UInt8(ascii: "}") {
            position += 1
            skipSpace()
            guard position == bytes.endIndex else { throw Fault() }
            return nil
        }
        if !isFirst {
            try expect(UInt8(ascii: ","))
            skipSpace()
        }
        isFirst = false
        let start = position
        try skipString()
        let name = Value(raw: bytes[start..<position]).string ?? ""
        skipSpace()
        try expect(UInt8(ascii: ":"))
        skipSpace()
        let begin = position
        try skipValue(0)
        return (name, Value(raw: bytes[begin..<position]))
    }

    private var peek: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    private mutating func expect(_ byte: UInt8) throws(Fault) {
        guard peek == byte else { throw Fault() }
        position += 1
    }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { position += 1 }
    }

    private mutating func skipValue(_ depth: Int) throws(Fault) {
        guard depth < maxDepth else { throw Fault() }
        switch peek {
        case UInt8(ascii: "\""): try skipString()
        case UInt8(ascii: "{"): try skipList(UInt8(ascii: "}"), depth, hasNames: true)
        case UInt8(ascii: "["): try skipList(UInt8(ascii: "]"), depth, hasNames: false)
        case UInt8(ascii: "t"): try skipWord("true")
        case UInt8(ascii: "f"): try skipWord("false")
        case UInt8(ascii: "n"): try skipWord("null")
        default: try skipNumber()
        }
    }

    private mutating func skipList(_ end: UInt8, _ depth: Int, hasNames: Bool) throws(Fault) {
        position += 1
        skipSpace()
        if peek == end {
            position += 1
            return
        }
        while true {
            skipSpace()
            if hasNames {
                try skipString()
                skipSpace()
                try expect(UInt8(ascii: ":"))
                skipSpace()
            }
            try skipValue(depth + 1)
            skipSpace()
            if peek == end {
                position += 1
                return
            }
            try expect(UInt8(ascii: ","))
        }
    }

    private mutating func skipWord(_ word: StaticString) throws(Fault) {
        for byte in word.description.utf8 { try expect(byte) }
    }

    private mutating func skipString() throws(Fault) {
        try expect(UInt8(ascii: "\""))
        while let byte = peek {
            position += 1
            switch byte {
            case UInt8(ascii: "\""): return
            case UInt8(ascii: "\\"):
                guard let escape = peek else { throw Fault() }
                position += 1
                if escape == UInt8(ascii: "u") {
                    for _ in 0..<4 {
                        guard let digit = peek, digit.hexValue != nil else { throw Fault() }
                        position += 1
                    }
                } else if !Self.escapes.contains(escape) {
                    throw Fault()
                }
            case 0..<0x20: throw Fault()
            default: continue
            }
        }
        throw Fault()
    }

    /// RFC 8259, section 6.
    private mutating func skipNumber() throws(Fault) {
        if peek == UInt8(ascii: "-") { position += 1 }
        let isZero = peek == UInt8(ascii: "0")
        let count = try skipDigits()
        if isZero, count > 1 { throw Fault() }
        if peek == UInt8(ascii: ".") {
            position += 1
            try skipDigits()
        }
        if let byte = peek, byte | 0x20 == UInt8(ascii: "e") {
            position += 1
            if peek == UInt8(ascii: "+") || peek == UInt8(ascii: "-") { position += 1 }
            try skipDigits()
        }
    }

    @discardableResult
    private mutating func skipDigits() throws(Fault) -> Int {
        let start = position
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
        guard position > start else { throw Fault() }
        return position - start
    }

    /// Returns the length of an escape in a valid string, together with the other half of a surrogate pair, and true if
    /// that is missing.
    private static func escape(in content: ArraySlice<UInt8>, at index: Int) -> (count: Int, isHalf: Bool) {
        guard let code = unit(in: content, at: index) else { return (2, false) }
        guard (0xD800...0xDFFF).contains(code) else { return (6, false) }
        guard code < 0xDC00, let low = unit(in: content, at: index + 6), (0xDC00...0xDFFF).contains(low) else {
            return (6, true)
        }
        return (12, false)
    }

    /// Returns the value of the escape `\uXXXX` at an index; nil for anything else.
    private static func unit(in content: ArraySlice<UInt8>, at index: Int) -> UInt32? {
        guard index + 6 <= content.endIndex, content[index] == UInt8(ascii: "\\"),
            content[index + 1] == UInt8(ascii: "u")
        else { return nil }
        return content[index + 2..<index + 6].reduce(UInt32(0)) { $0 << 4 | UInt32($1.hexValue ?? 0) }
    }

    private static let escapes = Set("\"\\/bfnrt".utf8)

    /// Decodes the escapes of a valid string; half a surrogate pair becomes U+FFFD.
    private static func unescaped(_ content: ArraySlice<UInt8>) -> String {
        var units: [UInt8] = []
        units.reserveCapacity(content.count)
        var index = content.startIndex
        var high: UInt32?
        func flush() { if high != nil { units += "\u{FFFD}".utf8 } }
        while index < content.endIndex {
            let byte = content[index]
            guard byte == UInt8(ascii: "\\") else {
                flush()
                high = nil
                units.append(byte)
                index += 1
                continue
            }
            let escape = content[index + 1]
            index += 2
            guard escape == UInt8(ascii: "u") else {
                flush()
                high = nil
                units.append(plain[escape] ?? escape)
                continue
            }
            let code = content[index..<index + 4].reduce(UInt32(0)) { $0 << 4 | UInt32($1.hexValue ?? 0) }
            index += 4
            if let first = high, (0xDC00...0xDFFF).contains(code) {
                let scalar = 0x10000 + ((first - 0xD800) << 10) + (code - 0xDC00)
                units += String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8
                high = nil
                continue
            }
            flush()
            high = (0xD800...0xDBFF).contains(code) ? code : nil
            if high == nil { units += String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8 }
        }
        flush()
        return String(decoding: units, as: UTF8.self)
    }

    private static let plain: [UInt8: UInt8] = [
        UInt8(ascii: "b"): 8, UInt8(ascii: "f"): 12, UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13,
        UInt8(ascii: "t"): 9,
    ]
}

extension UInt8 {
    /// The value of a hexadecimal digit; nil for any other byte.
    var hexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
