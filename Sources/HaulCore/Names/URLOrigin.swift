/// Scheme, host and port of a URL (RFC 6454, section 4): credentials go to no other origin than theirs.
package struct URLOrigin: Hashable, Sendable {
    /// `http` or `https`.
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

    private static func defaultPort(of scheme: String) -> Int { scheme == "https" ? 443 : 80 }
}

extension URLOrigin: CustomStringConvertible {
    /// `scheme://host`, and `:port` where it is not the scheme's own.
    package var description: String {
        "\(scheme)://\(host)" + (port == Self.defaultPort(of: scheme) ? "" : ":\(port)")
    }
}
