/// The part of a URL that says who is asked, and as whom: `user:password@host:port` (RFC 3986, section 3.2).
struct URLAuthority {
    /// The decoded user name and password.
    let credentials: URLCredentials?
    /// The host in lower case.
    let host: String
    /// The port, or nil where it is left out.
    let port: Int?

    /// Reads an authority; its last `@` ends the credentials, so that one in a password does no harm.
    init(_ bytes: ArraySlice<UInt8>) throws(URLProblem) {
        // Browsers read a backslash as a slash, RFC 3986 does not: who takes part in such a quarrel may ask the wrong
        // host.
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

    // RFC 3986, section 3.2.3: a colon without a number is as good as none.
    private static func port(_ digits: ArraySlice<UInt8>) throws(URLProblem) -> Int? {
        guard !digits.isEmpty else { return nil }
        guard digits.allSatisfy(\.isASCIIDigit), let port = UInt16(String(decoding: digits, as: UTF8.self)), port > 0
        else {
            throw .badPort
        }
        return Int(port)
    }
}
