/// A URL or a relative reference, split at its delimiters (RFC 3986, appendix B) and not yet validated.
struct URLParts {
    /// The scheme in lower case.
    let scheme: String?
    /// The text between `//` and the path.
    let authority: ArraySlice<UInt8>?
    /// The path as written; may be empty.
    let path: ArraySlice<UInt8>
    /// The text after the first `?`.
    let query: ArraySlice<UInt8>?

    /// Splits a text into its parts.
    ///
    /// Surrounding spaces and tabs are ignored (appendix C); the fragment is dropped.
    init(_ text: String) throws(URLProblem) {
        var rest = Array(text.utf8)[...].trimmingOptionalSpace
        guard !rest.contains(where: \.isASCIIControl) else { throw .controlByte }
        if let hash = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<hash] }
        if let mark = rest.firstIndex(of: UInt8(ascii: "?")) {
            query = rest[(mark + 1)...]
            rest = rest[..<mark]
        } else {
            query = nil
        }
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), Self.isScheme(rest[..<colon]) {
            scheme = rest[..<colon].asciiLowercasedText
            rest = rest[(colon + 1)...]
        } else {
            scheme = nil
        }
        if rest.starts(with: "//".utf8) {
            let start = rest.dropFirst(2)
            let end = start.firstIndex(of: UInt8(ascii: "/")) ?? start.endIndex
            authority = start[..<end]
            rest = start[end...]
        } else {
            authority = nil
        }
        path = rest
    }

    /// Returns true if the bytes have the form of a scheme (RFC 3986, section 3.1).
    static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isASCIILetter else { return false }
        return bytes.allSatisfy(isInScheme)
    }

    static func isInScheme(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || "+-.".utf8.contains(byte)
    }
}

/// The authority of a URL: `user:password@host:port` (RFC 3986, section 3.2).
struct URLAuthority {
    /// The decoded user name and password.
    let credentials: URLCredentials?
    /// The host in lower case.
    let host: String
    /// The port, or nil if it is left out.
    let port: Int?

    /// Parses an authority.
    ///
    /// The last `@` ends the credentials, so that passwords may contain one.
    init(_ bytes: ArraySlice<UInt8>) throws(URLProblem) {
        // Browsers read a backslash as a slash, RFC 3986 does not: a URL that is ambiguous like this could send a
        // request to the wrong host.
        guard !bytes.contains(UInt8(ascii: "\\")) else { throw .badHost }
        var hostAndPort = bytes
        if let at = bytes.lastIndex(of: UInt8(ascii: "@")) {
            hostAndPort = bytes[(at + 1)...]
            guard !bytes[..<at].contains(UInt8(ascii: " ")) else { throw .badCredentials }
            credentials = try URLCredentials.decoding(bytes[..<at])
        } else {
            credentials = nil
        }
        let bracket = hostAndPort.lastIndex(of: UInt8(ascii: "]")) ?? hostAndPort.startIndex
        let colon = hostAndPort[bracket...].firstIndex(of: UInt8(ascii: ":")) ?? hostAndPort.endIndex
        host = try HostName.canonical(hostAndPort[..<colon])
        port = try Self.port(hostAndPort[colon...].dropFirst())
    }

    // RFC 3986, section 3.2.3: a colon without a number counts as no port.
    private static func port(_ digits: ArraySlice<UInt8>) throws(URLProblem) -> Int? {
        guard !digits.isEmpty else { return nil }
        guard digits.allSatisfy(\.isASCIIDigit), let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else {
            throw .badPort
        }
        return Int(port)
    }
}
