/// A proxy server for a transfer.
public struct Proxy: Sendable, Hashable {
    /// The protocol of a proxy.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// HTTP without TLS: `CONNECT` for https, the absolute URL for http (RFC 9110, section 9.3.6).
        case http
        /// Like `http`, over TLS.
        case https
        /// SOCKS 4: names are resolved locally.
        case socks4
        /// SOCKS 4a: names are resolved by the proxy.
        case socks4a
        /// SOCKS 5 (RFC 1928): names are resolved locally.
        case socks5
        /// SOCKS 5: names are resolved by the proxy.
        case socks5h
    }

    /// The protocol of the proxy.
    public var scheme: Scheme
    /// The name or address of the proxy.
    public var host: String
    /// The port of the proxy.
    public var port: Int
    /// The user name and password, if the proxy requires them.
    public var credentials: Credentials?

    /// Creates a proxy.
    public init(_ scheme: Scheme, host: String, port: Int, credentials: Credentials? = nil) {
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}

extension Proxy: CustomStringConvertible {
    /// Scheme, host and port, in the form that `ProxyURL` uses.
    public var description: String {
        "\(scheme.rawValue)://\(host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host):\(port)"
    }
}
