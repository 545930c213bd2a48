import AsyncHTTPClient
package import HaulTransport

/// The route of a request to its server.
enum Route: Hashable {
    /// A direct connection.
    case direct
    /// A tunnel through an HTTP proxy to the origin's host and port, for https.
    case tunnel(Proxy, to: String)
    /// A SOCKS proxy.
    ///
    /// `toAddress`: true for https to a URL whose host is an address.
    case socks(Proxy, toAddress: Bool)
    /// An HTTP proxy that is asked for the whole URL.
    ///
    /// Used for http: many proxies allow `CONNECT` only to port 443.
    case forward(Proxy)

    /// Creates the route of a request.
    ///
    /// - Throws: `TransportError` of kind `unusable` for anything that AsyncHTTPClient does not support.
    init(_ request: TransferRequest, to target: RequestTarget) throws(TransportError) {
        guard request.authentication == nil else {
            throw TransportError(
                .unusable, "digest, NTLM and Negotiate require libcurl, which this build does not include")
        }
        guard let proxy = request.proxy else {
            self = .direct
            return
        }
        switch proxy.scheme {
        case .http:
            self = target.isSecure ? .tunnel(proxy, to: target.hostAndPort) : .forward(proxy)
        case .socks5h where proxy.credentials == nil, .socks5 where proxy.credentials == nil && target.isAddress:
            self = .socks(proxy, toAddress: target.isSecure && target.isAddress)
        case .https, .socks4, .socks4a, .socks5, .socks5h:
            let hint = proxy.scheme == .socks5 && proxy.credentials == nil ? "; socks5h:// works without it" : ""
            throw TransportError(
                .unusable,
                "this \(proxy.scheme.rawValue) proxy requires libcurl, which this build does not include\(hint)")
        }
    }

    /// The SOCKS proxy in AsyncHTTPClient's form, if there is one.
    var socks: HTTPClient.Configuration.Proxy? {
        switch self {
        case .socks(let proxy, _): .socksServer(host: proxy.bareHost, port: proxy.port)
        case .direct, .tunnel, .forward: nil
        }
    }

    /// True if the connected address differs from the address in the URL, which the certificate must match.
    var hidesAddress: Bool {
        switch self {
        case .direct, .forward: false
        case .tunnel(_, let origin): CertificateNames.address(CertificateNames.hostWithoutPort(origin)) != nil
        case .socks(_, let toAddress): toAddress
        }
    }

    /// A name for the log.
    var name: String {
        switch self {
        case .direct: "direct"
        case .tunnel: "tunnel"
        case .socks: "socks"
        case .forward: "forward"
        }
    }
}

/// The proxy of a transfer, for messages.
struct ProxyUse: Hashable, Sendable {
    /// Scheme, host and port.
    let name: String
    /// True if the responses are the proxy's own, or forwarded by it.
    let isForward: Bool

    /// Creates the proxy use of a route; nil if it has no proxy.
    init?(_ route: Route) {
        switch route {
        case .direct: return nil
        case .forward(let proxy): (name, isForward) = (proxy.description, true)
        case .tunnel(let proxy, _), .socks(let proxy, _): (name, isForward) = (proxy.description, false)
        }
    }

    /// Returns true if an error is certainly the proxy's: it is the only host that is connected to, and the recipient
    /// of a forwarded request.
    func isBlamed(for error: TransportError, isConnected: Bool) -> Bool {
        switch error.kind {
        case .proxyNotAuthorized, .proxyRefused: true
        case .nameNotResolved, .refused, .connectTimedOut: !isConnected
        case .badResponse: isForward && error.reason != nil
        case .badRequest, .unusable, .tooManyFiles, .untrusted, .tls, .cut, .undecodable, .headTooLarge, .other: false
        }
    }
}

extension Proxy {
    /// The host without the brackets of an IPv6 address.
    var bareHost: String { host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host }

    /// The origin that AsyncHTTPClient connects to, without TLS.
    var origin: String { "http://\(bareHost.contains(":") ? "[\(bareHost)]" : bareHost):\(port)/" }

    /// The value of the `Proxy-Authorization` header (RFC 7617).
    var authorization: String? {
        credentials.map { HTTPClient.Authorization.basic(username: $0.user, password: $0.password).headerValue }
    }
}

extension HTTPTransport {
    /// Returns true if this transport supports everything that a request needs; otherwise its transfer fails with
    /// `unusable`.
    package static func serves(_ request: TransferRequest) -> Bool {
        guard let target = try? RequestTarget(request.url) else { return false }
        return (try? Route(request, to: target)) != nil
    }
}
