/// Scheme, host and port of a URL (RFC 6454, section 4): credentials go to no other origin than theirs.
package struct URLOrigin: Hashable, Sendable {
    /// `http`, `https`, `ftp`, `ftpes` (FTP that must go over to TLS), `ftps` (FTP over TLS from the first byte) or `sftp`.
    package let scheme: String
    /// The host in lower case; an IPv6 address stands in its brackets.
    package let host: String
    /// The port, also where the URL leaves it out.
    package let port: Int

    /// Makes an origin; without a port it is the scheme's own.
    init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? Self.defaultPort(of: scheme)
    }

    /// Whether files can be fetched by it.
    static func knows(_ scheme: String) -> Bool { ports[scheme] != nil }

    /// Whether HTTP is spoken.
    static func isWeb(_ scheme: String) -> Bool { scheme == "http" || scheme == "https" }

    private static func defaultPort(of scheme: String) -> Int { ports[scheme] ?? 80 }

    private static let ports = ["http": 80, "https": 443, "ftp": 21, "ftpes": 21, "ftps": 990, "sftp": 22]
}

extension URLOrigin: CustomStringConvertible {
    /// Appends the description.
    func write(to text: inout String) {
        text += scheme
        text += "://"
        text += host
        guard port != Self.defaultPort(of: scheme) else { return }
        text += ":"
        text += String(port)
    }

    /// `scheme://host`, and `:port` where it is not the scheme's own.
    package var description: String {
        var text = ""
        write(to: &text)
        return text
    }
}
