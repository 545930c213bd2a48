/// The character classes of HTTP's text formats. Their grammars are ASCII, so nothing depends on a locale.
extension UInt8 {
    /// True for `0` to `9`.
    var isASCIIDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// True for a letter of the English alphabet.
    var isASCIILetter: Bool { asciiLowercased >= UInt8(ascii: "a") && asciiLowercased <= UInt8(ascii: "z") }

    /// True for an ASCII letter or digit.
    var isASCIILetterOrDigit: Bool { isASCIILetter || isASCIIDigit }

    /// True for a C0 control or DEL.
    var isASCIIControl: Bool { self < 0x20 || self == 0x7F }

    /// True for a space or a tab: the "optional white space" of RFC 9110, section 5.6.3.
    var isOptionalSpace: Bool { self == 0x20 || self == 0x09 }

    /// The lower-case letter of an upper-case one; any other byte is unchanged.
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
    /// The bytes as text with the ASCII letters lower-cased; for bytes known to be ASCII.
    var asciiLowercasedText: String {
        // Safe: `count` bytes are reserved and written. Short texts need no allocation this way.
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
