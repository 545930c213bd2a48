import AsyncHTTPClient
package import HaulTransport

/// How a request gets to its server.
enum Route: Hashable {
    /// Straight.
    case direct
    /// Through a tunnel that an HTTP proxy makes to the origin's host and port, for what is to be had over TLS.
    case tunnel(Proxy, to: String)
    /// Through a SOCKS proxy.
    ///
    /// `toAddress`: over TLS to a URL whose host is an address.
    case socks(Proxy, toAddress: Bool)
    /// The proxy is asked for the whole URL.
    ///
    /// What is to be had in the clear is asked for like this: many proxies let `CONNECT` lead to port 443 only.
    case forward(Proxy)

    /// The way of a request.
    ///
    /// - Throws: `TransportError` of kind `unusable` for what AsyncHTTPClient can't do.
    init(_ request: TransferRequest, to target: RequestTarget) throws(TransportError) {
        guard request.authentication == nil else {
            throw TransportError(.unusable, "digest, NTLM and Negotiate need Haul to be built with libcurl")
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
            let hint = proxy.scheme == .socks5 && proxy.credentials == nil ? "; socks5h:// does without" : ""
            throw TransportError(
                .unusable, "a \(proxy.scheme.rawValue) proxy like this needs Haul to be built with libcurl\(hint)")
        }
    }

    /// The SOCKS proxy in AsyncHTTPClient's words, where there is one.
    var socks: HTTPClient.Configuration.Proxy? {
        switch self {
        case .socks(let proxy, _): .socksServer(host: proxy.bareHost, port: proxy.port)
        case .direct, .tunnel, .forward: nil
        }
    }

    /// Whether the address connected to is not the one in the URL, which the certificate has to be for.
    var hidesAddress: Bool {
        switch self {
        case .direct, .forward: false
        case .tunnel(_, let origin): CertificateNames.address(CertificateNames.hostWithoutPort(origin)) != nil
        case .socks(_, let toAddress): toAddress
        }
    }

    /// A word for the log.
    var name: String {
        switch self {
        case .direct: "direct"
        case .tunnel: "tunnel"
        case .socks: "socks"
        case .forward: "forward"
        }
    }
}

/// The proxy that a transfer goes through, for messages.
struct ProxyUse: Hashable, Sendable {
    /// Scheme, host and port.
    let name: String
    /// Whether the responses are the proxy's own, or passed on by it.
    let isForward: Bool

    /// Takes it from a route; nil: there is none.
    init?(_ route: Route) {
        switch route {
        case .direct: return nil
        case .forward(let proxy): (name, isForward) = (proxy.description, true)
        case .tunnel(let proxy, _), .socks(let proxy, _): (name, isForward) = (proxy.description, false)
        }
    }

    /// Whether an error is certainly of the proxy: the only host that is connected to, and the one that a forwarded request is sent to.
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

    /// Where AsyncHTTPClient connects to, in the clear.
    var origin: String { "http://\(bareHost.contains(":") ? "[\(bareHost)]" : bareHost):\(port)/" }

    /// What it is told of who asks (RFC 7617).
    var authorization: String? {
        credentials.map { HTTPClient.Authorization.basic(username: $0.user, password: $0.password).headerValue }
    }
}

extension HTTPTransport {
    /// Whether this transport can do what a request wants; where it can't, its transfer fails with `unusable`.
    package static func serves(_ request: TransferRequest) -> Bool {
        guard let target = try? RequestTarget(request.url) else { return false }
        return (try? Route(request, to: target)) != nil
    }
}
