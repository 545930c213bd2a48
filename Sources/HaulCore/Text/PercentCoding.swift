/// Percent-encoding of RFC 3986, section 2.1.
package enum PercentCoding {
    /// Encodes every byte that is not allowed; keeps valid escapes, and encodes any other `%` as `%25`.
    package static func encode(_ bytes: some Collection<UInt8>, allowed: (UInt8) -> Bool) -> String {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for (index, byte) in bytes.enumerated() {
            let isKept = byte == percent ? encodedByte(bytes, at: index) != nil : byte < 0x80 && allowed(byte)
            if isKept {
                result.append(byte)
            } else {
                result += encoded(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Encodes one byte.
    static func encoded(_ byte: UInt8) -> [UInt8] {
        [percent, hexDigits[Int(byte >> 4)], hexDigits[Int(byte & 15)]]
    }

    /// Decodes every escape, or returns nil if a `%` does not begin one.
    package static func decode(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        let bytes = Array(bytes)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] == percent {
                guard let byte = encodedByte(bytes, at: index) else { return nil }
                result.append(byte)
                index += 3
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

    /// Returns the text with unreserved characters decoded and with hexadecimal digits in upper case (RFC 3986, 6.2.2.1
    /// and 6.2.2.2), for comparisons.
    package static func normalized(_ text: some StringProtocol) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            let byte = bytes[index] == percent ? encodedByte(bytes, at: index) : nil
            guard let byte else {
                result.append(bytes[index])
                index += 1
                continue
            }
            result += isUnreserved(byte) ? [byte] : encoded(byte)
            index += 3
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
            UInt8(ascii: "~"):
            true
        case _: false
        }
    }

    private static let percent = UInt8(ascii: "%")
    private static let hexDigits = Array("0123456789ABCDEF".utf8)

    private static func encodedByte(_ bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes.count - index > 2, let high = bytes[index + 1].hexValue, let low = bytes[index + 2].hexValue else {
            return nil
        }
        return high << 4 | low
    }
}
