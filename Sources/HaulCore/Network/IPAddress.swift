/// An IPv4 or IPv6 address as its 4 or 16 bytes.
package struct IPAddress: Sendable, Hashable {
    /// The bytes in network order.
    package let bytes: [UInt8]

    /// Parses an address: four decimal numbers (RFC 3986, section 3.2.2), or IPv6 (RFC 4291, section 2.2), with or
    /// without brackets.
    ///
    /// Returns nil for anything else, including names and addresses with a zone.
    package init?(_ text: some StringProtocol) {
        var rest = Array(text.utf8)[...]
        if rest.first == UInt8(ascii: "["), rest.last == UInt8(ascii: "]") { rest = rest.dropFirst().dropLast() }
        guard let bytes = Self.four(rest) ?? Self.sixteen(rest) else { return nil }
        self.bytes = bytes
    }

    /// Returns true if the first `count` bits equal those of another address of the same kind.
    package func shares(bits count: Int, with other: IPAddress) -> Bool {
        guard bytes.count == other.bytes.count, (0...bytes.count * 8).contains(count) else { return false }
        let whole = count / 8
        guard bytes.prefix(whole) == other.bytes.prefix(whole) else { return false }
        guard count % 8 > 0 else { return true }
        return (bytes[whole] ^ other.bytes[whole]) >> UInt8(8 - count % 8) == 0
    }

    private static func four(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var bytes: [UInt8] = []
        for part in parts {
            guard (1...3).contains(part.count), part.allSatisfy(\.isASCIIDigit),
                part.count == 1 || part.first != UInt8(ascii: "0"),
                let value = UInt8(String(decoding: part, as: UTF8.self))
            else { return nil }
            bytes.append(value)
        }
        return bytes
    }

    private static func sixteen(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let colon = UInt8(ascii: ":")
        let gap = text.indices.dropLast().first { text[$0] == colon && text[$0 + 1] == colon }
        guard let gap else { return groups(text, mayEndInFour: true).flatMap { $0.count == 16 ? $0 : nil } }
        guard let front = groups(text[..<gap], mayEndInFour: false),
            let back = groups(text[(gap + 2)...], mayEndInFour: true), front.count + back.count <= 14
        else { return nil }
        return front + [UInt8](repeating: 0, count: 16 - front.count - back.count) + back
    }

    /// Reads groups of up to four hexadecimal digits between colons; the last one may be an IPv4 address.
    private static func groups(_ text: ArraySlice<UInt8>, mayEndInFour: Bool) -> [UInt8]? {
        guard !text.isEmpty else { return [] }
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 8 else { return nil }
        var bytes: [UInt8] = []
        for (index, part) in parts.enumerated() {
            if mayEndInFour, index == parts.count - 1, let last = four(part) { return bytes + last }
            guard (1...4).contains(part.count) else { return nil }
            var value: UInt16 = 0
            for digit in part {
                guard let digit = digit.hexValue else { return nil }
                value = value << 4 | UInt16(digit)
            }
            bytes += [UInt8(value >> 8), UInt8(value & 0xFF)]
        }
        return bytes
    }
}
