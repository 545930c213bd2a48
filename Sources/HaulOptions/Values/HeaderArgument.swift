package import HaulCore

/// The value of `--header`: `Name: value`; as with curl, `Name:` removes a header, and `Name;` sends an empty one.
///
/// The messages never contain the value, which may be a credential.
package struct HeaderArgument: Hashable, Sendable {
    /// The header line that is sent.
    package let header: DownloadSpec.Header

    /// Reads a header line.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected form.
    package init(parsing text: String) throws(DownloadError) {
        guard let colon = text.unicodeScalars.firstIndex(of: ":") else {
            guard text.last == ";" else {
                throw DownloadError(.invalidRequest, "expected 'Name: value'")
            }
            try self.init(name: String(text.dropLast()), value: " ")
            return
        }
        try self.init(
            name: String(text.unicodeScalars[..<colon]),
            value: Self.trimmed(text.unicodeScalars[text.unicodeScalars.index(after: colon)...]))
    }

    /// Makes a header of a name and a value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if HTTP does not allow them, or if Haul sets the header
    ///   itself.
    package init(name: String, value: String) throws(DownloadError) {
        guard !name.isEmpty, name.utf8.allSatisfy(Self.isTokenByte) else {
            throw DownloadError(
                .invalidRequest,
                "invalid header name: use letters, digits and any of !#$%&'*+-.^_`|~")
        }
        if let reason = Self.reserved[name.lowercased()] {
            throw DownloadError(.invalidRequest, "\(name) can't be set: \(reason)")
        }
        // RFC 9110 section 5.5: CR, LF and NUL in a value are dangerous and never sent.
        guard !value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
            throw DownloadError(
                .invalidRequest, "the value of \(name) has a line break or a NUL: write it on one line")
        }
        header = DownloadSpec.Header(name: name, value: value)
    }

    private static let reserved = [
        "host": "it follows from the URL",
        "content-length": "it follows from the body",
        "transfer-encoding": "it follows from the body",
        "connection": "Haul manages connections itself, use --connections",
        "proxy-authorization": "the server would receive it, use --proxy-user-file",
        "range": "Haul requests ranges itself, use --range",
        "if-range": "Haul sends it itself to resume",
        "if-modified-since": "Haul sends it itself, use --on-conflict keep",
    ]

    /// Returns true for a `tchar` (RFC 9110 section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            true
        default:
            "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Returns the value without surrounding blanks and tabs, which are not part of it (RFC 9110 section 5.5).
    private static func trimmed(_ value: Substring.UnicodeScalarView) -> String {
        let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        guard let first = value.firstIndex(where: { !isBlank($0) }), let last = value.lastIndex(where: { !isBlank($0) })
        else { return "" }
        return String(value[first...last])
    }
}
