/// Parses untrusted JSON (RFC 8259): any bytes result in a value or an error, never a trap.
package struct JSONReader {
    /// The error for invalid JSON; clients are only informed that it is invalid.
    package struct Failure: Error, Hashable {
        /// The offset of the unexpected byte.
        package let offset: Int
        /// True if the only error is a name that occurs twice in an object.
        package var isDuplicate = false
    }

    /// The maximum nesting depth.
    package static let maxDepth = 64

    private let bytes: [UInt8]
    private var index = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Parses bytes that contain a single value.
    package static func read(_ bytes: [UInt8]) throws(Failure) -> JSON {
        var reader = JSONReader(bytes)
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.index == bytes.count else { throw reader.failure }
        return value
    }

    private var failure: Failure { Failure(offset: index) }
    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpace() {
        while let byte = peek, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        index += 1
        return true
    }

    private mutating func value(depth: Int) throws(Failure) -> JSON {
        guard depth < Self.maxDepth else { throw failure }
        skipSpace()
        switch peek {
        case UInt8(ascii: "{"): return try object(depth)
        case UInt8(ascii: "["): return try array(depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(Failure) -> JSON {
        for byte in word.description.utf8 where !skip(byte) { throw failure }
        return value
    }

    private mutating func array(_ depth: Int) throws(Failure) -> JSON {
        index += 1
        var elements: [JSON] = []
        skipSpace()
        if skip(UInt8(ascii: "]")) { return .array(elements) }
        while true {
            elements.append(try value(depth: depth + 1))
            skipSpace()
            if skip(UInt8(ascii: "]")) { return .array(elements) }
            guard skip(UInt8(ascii: ",")) else { throw failure }
        }
    }

    private mutating func object(_ depth: Int) throws(Failure) -> JSON {
        index += 1
        var members: [JSON.Member] = []
        var names: Set<String> = []
        skipSpace()
        if skip(UInt8(ascii: "}")) { return .object(members) }
        while true {
            skipSpace()
            guard peek == UInt8(ascii: "\"") else { throw failure }
            let name = try string()
            // Parsers differ in which of the two they use (RFC 8259, section 4).
            guard names.insert(name).inserted else { throw Failure(offset: index, isDuplicate: true) }
            skipSpace()
            guard skip(UInt8(ascii: ":")) else { throw failure }
            members.append(JSON.Member(name, try value(depth: depth + 1)))
            skipSpace()
            if skip(UInt8(ascii: "}")) { return .object(members) }
            guard skip(UInt8(ascii: ",")) else { throw failure }
        }
    }

    /// Parses a number by RFC 8259, section 6: no plus sign, no leading zeros, digits on both sides of a point.
    private mutating func number() throws(Failure) -> String {
        let start = index
        _ = skip(UInt8(ascii: "-"))
        if !skip(UInt8(ascii: "0")) { try digits() }
        if skip(UInt8(ascii: ".")) { try digits() }
        if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
            if !skip(UInt8(ascii: "+")) { _ = skip(UInt8(ascii: "-")) }
            try digits()
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func digits() throws(Failure) {
        let start = index
        while let byte = peek, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { index += 1 }
        guard index > start else { throw failure }
    }

    private mutating func string() throws(Failure) -> String {
        index += 1
        var text: [UInt8] = []
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw failure }
                return string
            case UInt8(ascii: "\\"): text += try escaped()
            case 0..<0x20: throw failure
            default: text.append(byte)
            }
        }
        throw failure
    }

    private mutating func escaped() throws(Failure) -> [UInt8] {
        guard let byte = peek else { throw failure }
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(Character(try scalar())).utf8)
        default: throw failure
        }
    }

    /// Parses a UTF-16 code unit, and the second one of a surrogate pair (RFC 8259, section 7).
    ///
    /// An unpaired surrogate becomes U+FFFD.
    private mutating func scalar() throws(Failure) -> Unicode.Scalar {
        let unit = try codeUnit()
        guard (0xD800..<0xDC00).contains(unit) else {
            return Unicode.Scalar(unit) ?? "\u{FFFD}"
        }
        let place = index
        guard skip(UInt8(ascii: "\\")), skip(UInt8(ascii: "u")) else {
            index = place
            return "\u{FFFD}"
        }
        let second = try codeUnit()
        guard (0xDC00..<0xE000).contains(second) else {
            index = place
            return "\u{FFFD}"
        }
        return Unicode.Scalar(0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00)) ?? "\u{FFFD}"
    }

    private mutating func codeUnit() throws(Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = peek, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw failure
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }
}
