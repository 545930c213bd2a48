/// The scheme, host and port of a URL (RFC 6454, section 4).
///
/// Credentials are only sent to their own origin.
package struct URLOrigin: Hashable, Sendable {
    /// The scheme: `http`, `https`, `ftp`, `ftpes` (FTP that must upgrade to TLS), `ftps` (FTP over TLS from the first
    /// byte) or `sftp`.
    package let scheme: String
    /// The host in lower case; an IPv6 address is in brackets.
    package let host: String
    /// The port, even if the URL leaves it out.
    package let port: Int

    /// Makes an origin; without a port it has the default port of the scheme.
    init(scheme: String, host: String, port: Int?) {
        self.scheme = scheme
        self.host = host
        self.port = port ?? Self.defaultPort(of: scheme)
    }

    /// Returns true if Haul can fetch files by this scheme.
    static func knows(_ scheme: String) -> Bool { ports[scheme] != nil }

    /// Returns true if the scheme uses HTTP.
    static func isWeb(_ scheme: String) -> Bool { scheme == "http" || scheme == "https" }

    private static func defaultPort(of scheme: String) -> Int { ports[scheme] ?? 80 }

    private static let ports = ["http": 80, "https": 443, "ftp": 21, "ftpes": 21, "ftps": 990, "sftp": 22]
}

extension URLOrigin: CustomStringConvertible {
    func write(to text: inout String) {
        text += scheme
        text += "://"
        text += host
        guard port != Self.defaultPort(of: scheme) else { return }
        text += ":"
        text += String(port)
    }

    /// `scheme://host`, with `:port` if it is not the default port of the scheme.
    package var description: String {
        var text = ""
        write(to: &text)
        return text
    }
}
