/// A server through which a transfer goes.
public struct Proxy: Sendable, Hashable {
    /// How it is spoken to.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// In the clear: `CONNECT` for https, the absolute URL for http (RFC 9110, section 9.3.6).
        case http
        /// As `http`, over TLS.
        case https
        /// SOCKS 4: names are looked up here.
        case socks4
        /// SOCKS 4a: names are looked up by the proxy.
        case socks4a
        /// SOCKS 5 (RFC 1928): names are looked up here.
        case socks5
        /// SOCKS 5: names are looked up by the proxy.
        case socks5h
    }

    /// How it is spoken to.
    public var scheme: Scheme
    /// Its name or address.
    public var host: String
    /// Its port.
    public var port: Int
    /// Who asks, where it wants to know.
    public var credentials: Credentials?

    /// Names a proxy.
    public init(_ scheme: Scheme, host: String, port: Int, credentials: Credentials? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

extension Proxy: CustomStringConvertible {
    /// Scheme, host and port, as `ProxyURL` shows them.
    public var description: String {
        "\(scheme.rawValue)://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }
}
