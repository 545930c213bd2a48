/// Parses redirect targets as browsers do.
extension URLParts {
    /// Parses the value of a `Location` header as browsers do (WHATWG URL Standard, section 4.4), relative to a URL
    /// with this scheme.
    ///
    /// Surrounding control bytes and spaces are removed, as are tabs and line ends anywhere; other control bytes are
    /// percent-encoded. Before the query, a backslash is a slash. Any number of slashes may precede the host, except
    /// that zero or one after the URL's own scheme makes the reference relative.
    init(redirect text: String, from scheme: String) throws(URLProblem) {
        var bytes = Array(text.utf8)[...]
        while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
        while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
        var rest: [UInt8] = []
        var isPath = true
        for byte in bytes {
            switch byte {
            case 0x09, 0x0A, 0x0D: break
            case UInt8(ascii: "\\") where isPath: rest.append(UInt8(ascii: "/"))
            case _ where byte.isASCIIControl: rest += PercentCoding.encoded(byte)
            case _:
                if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") { isPath = false }
                rest.append(byte)
            }
        }
        try self.init(String(decoding: Self.withTwoSlashes(rest[...], from: scheme), as: UTF8.self))
    }

    /// Normalizes the number of slashes before a host to two.
    private static func withTwoSlashes(_ text: ArraySlice<UInt8>, from base: String) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")), isScheme(text[..<colon]) else {
            return text.starts(with: "//".utf8) ? "//".utf8 + Array(text.drop { $0 == slash }) : Array(text)
        }
        let scheme = text[..<colon].asciiLowercasedText
        let behind = text[(colon + 1)...]
        guard URLOrigin.isWeb(scheme) else { return Array(text) }
        if scheme == base, !behind.starts(with: "//".utf8) { return Array(behind) }
        return Array("\(scheme)://".utf8) + behind.drop { $0 == slash }
    }
}
