/// Targets of redirects as browsers read them.
extension URLParts {
    /// Takes the value of a `Location` header apart as browsers do (WHATWG URL Standard, section 4.4), from a URL with this scheme.
    ///
    /// Control bytes and spaces around it, tabs and line ends in it are dropped, other control bytes are percent-encoded; before the query
    /// a backslash is a slash; any number of slashes, but none or one behind the URL's own scheme, comes before the host.
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

    /// Gives a host the two slashes that come before it.
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
