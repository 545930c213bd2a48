/// Writes JSON (RFC 8259), a piece at a time, into a buffer of bytes.
package enum JSONText {
    /// Appends a string with its quotes.
    package static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0x0A: bytes += #"\n"#.utf8
            case 0x0D: bytes += #"\r"#.utf8
            case 0x09: bytes += #"\t"#.utf8
            case 0..<0x20:
                bytes += #"\u00"#.utf8
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a string, or `null`.
    package static func append(_ text: String?, to bytes: inout [UInt8]) {
        if let text { append(text, to: &bytes) } else { bytes += "null".utf8 }
    }

    /// Appends a whole number, or `null`.
    package static func append(_ number: Int64?, to bytes: inout [UInt8]) {
        if let number { bytes += String(number).utf8 } else { bytes += "null".utf8 }
    }

    /// Returns a string with its quotes.
    package static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        append(text, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
