/// The host of a URL: a registered name, an IPv4 address, or an IPv6 address in brackets (RFC 3986, section 3.2.2).
enum HostName {
    /// Returns the host in lower case; converts a host beyond ASCII to its DNS form (`xn--`).
    ///
    /// Rejects percent-encoded hosts and zone identifiers: no server needs them, and credentials reach the wrong host
    /// if two parsers read a host differently.
    static func canonical(_ bytes: ArraySlice<UInt8>) throws(URLProblem) -> String {
        guard !bytes.isEmpty else { throw .noHost }
        guard bytes.allSatisfy({ $0 < 0x80 }) else {
            guard let ascii = InternationalHost.ascii(bytes), isName(ascii[...]) else { throw .hostNotASCII }
            return ascii[...].asciiLowercasedText
        }
        guard isIPv6Literal(bytes) || isName(bytes) else { throw .badHost }
        return bytes.asciiLowercasedText
    }

    // RFC 1035, section 2.3.4: at most 63 bytes per label and 253 for the name as text. A trailing dot (the root) is
    // allowed. RFC 1123 does not allow underscores in host names, but such hosts exist.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        let name = bytes.last == UInt8(ascii: ".") ? bytes.dropLast() : bytes
        guard name.count <= 253 else { return false }
        var length = 0
        for byte in name {
            switch byte {
            case UInt8(ascii: "."):
                guard 1...63 ~= length else { return false }
                length = 0
            case UInt8(ascii: "-"), UInt8(ascii: "_"): length += 1
            case _:
                guard byte.isASCIILetterOrDigit else { return false }
                length += 1
            }
        }
        return 1...63 ~= length
    }

    private static func isIPv6Literal(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else { return false }
        let address = bytes.dropFirst().dropLast()
        guard let gap = address.indices.dropLast().first(where: { isGap(address, at: $0) }) else {
            return groupCount(address, mayEndInIPv4: true) == 8
        }
        guard let before = groupCount(address[..<gap], mayEndInIPv4: false),
            let after = groupCount(address[(gap + 2)...], mayEndInIPv4: true)
        else { return false }
        return before + after <= 7
    }

    private static func isGap(_ address: ArraySlice<UInt8>, at index: Int) -> Bool {
        address[index] == UInt8(ascii: ":") && address[index + 1] == UInt8(ascii: ":")
    }

    /// Returns the number of 16-bit groups in the text, or nil if one is malformed.
    private static func groupCount(_ text: ArraySlice<UInt8>, mayEndInIPv4: Bool) -> Int? {
        guard !text.isEmpty else { return 0 }
        var groups = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var count = 0
        if mayEndInIPv4, let last = groups.last, isIPv4(last) {
            groups.removeLast()
            count = 2
        }
        guard groups.allSatisfy({ (1...4).contains($0.count) && $0.allSatisfy { $0.hexValue != nil } }) else {
            return nil
        }
        return count + groups.count
    }

    private static func isIPv4(_ text: ArraySlice<UInt8>) -> Bool {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                (1...3).contains(part.count) && part.allSatisfy(\.isASCIIDigit)
                    && part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } <= 255
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
            }
    }
}
