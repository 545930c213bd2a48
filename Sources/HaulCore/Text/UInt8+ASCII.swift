/// What the text formats of HTTP ask of a single byte. Their grammars are ASCII, so nothing here knows of a locale.
extension UInt8 {
    /// Whether it is `0` to `9`.
    var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// Whether it is a letter of the English alphabet.
    var isASCIILetter: Bool { asciiLowercased >= UInt8(ascii: "a") && asciiLowercased <= UInt8(ascii: "z") }

    /// Whether it is either.
    var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }

    /// Whether it is a C0 control or DEL.
    var isASCIIControl: Bool { self < 0x20 || self == 0x7F }

    /// Whether it is a space or a tab: the "optional white space" of RFC 9110, section 5.6.3.
    var isOptionalSpace: Bool { self == 0x20 || self == 0x09 }

    /// The lower-case letter of an upper-case one; everything else as it is.
    var asciiLowercased: UInt8 { self >= UInt8(ascii: "A") && self <= UInt8(ascii: "Z") ? self | 0x20 : self }

    /// The value of a hexadecimal digit of either case.
    var hexValue: UInt8? {
        switch asciiLowercased {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): asciiLowercased - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension Collection<UInt8> {
    /// The bytes as text with the ASCII letters lower-cased; for bytes that are known to be ASCII.
    var asciiLowercasedText: String {
        // Safe: as many bytes are written as are said to be. Short texts need no memory of their own like this.
        unsafe String(unsafeUninitializedCapacity: count) { buffer in
            var end = 0
            for byte in self {
                unsafe buffer[end] = byte.asciiLowercased
                end += 1
            }
            return end
        }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without the spaces and tabs at both ends.
    var trimmingOptionalSpace: ArraySlice<UInt8> {
        let front = drop(while: \.isOptionalSpace)
        guard let last = front.lastIndex(where: { !$0.isOptionalSpace }) else { return [] }
        return front[...last]
    }
}
