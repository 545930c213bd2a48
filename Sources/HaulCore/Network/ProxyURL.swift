/// A proxy as written by the user or in the environment: `http://user:password@host:3128`.
///
/// Printing a value never shows the credentials.
package struct ProxyURL: Sendable, Hashable {
    /// The protocol of a proxy (curl(1), `--proxy`).
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// HTTP in the clear.
        case http
        /// HTTP over TLS.
        case https
        /// SOCKS 4: names are resolved locally.
        case socks4
        /// SOCKS 4a: names are resolved by the proxy.
        case socks4a
        /// SOCKS 5: names are resolved locally.
        case socks5
        /// SOCKS 5: names are resolved by the proxy.
        case socks5h
    }

    /// The protocol.
    package let scheme: Scheme
    /// The name or address; an IPv6 address has no brackets.
    package let host: String
    /// The port.
    package let port: Int
    /// The credentials, if the proxy requires them.
    package var credentials: URLCredentials?

    /// Parses a proxy.
    ///
    /// The default scheme is `http`; the default port is 1080, or 443 for `https` (curl(1), `--proxy`).
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the proxy without its password and says how to
    ///   correct it.
    package init(parsing text: String) throws(DownloadError) {
        do throws(URLProblem) {
            try self.init(URLParts(text.contains(bytes: "://") ? text : "http://" + text))
        } catch {
            let schemes = Scheme.allCases.map(\.rawValue).joined(separator: ", ")
            throw DownloadError(
                .invalidRequest,
                "invalid proxy \"\(URLRedaction.shown(text))\": expected SCHEME://HOST:PORT, with one of \(schemes)")
        }
    }

    private init(_ parts: URLParts) throws(URLProblem) {
        guard let name = parts.scheme else { throw .noScheme }
        // curl accepts `socks://` for SOCKS 4, too.
        guard let scheme = name == "socks" ? .socks4 : Scheme(rawValue: name) else { throw .otherScheme(name) }
        guard let text = parts.authority else { throw .noHost }
        let authority = try URLAuthority(text)
        self.scheme = scheme
        let isBracketed = authority.host.hasPrefix("[")
        host = isBracketed ? String(authority.host.dropFirst().dropLast()) : authority.host
        port = authority.port ?? (scheme == .https ? 443 : 1080)
        credentials = authority.credentials
    }
}

extension ProxyURL: CustomStringConvertible, CustomDebugStringConvertible {
    /// Scheme, host and port.
    package var description: String { "\(scheme.rawValue)://\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    /// Scheme, host and port.
    package var debugDescription: String { description }
}

/// The reason why a SOCKS 5 proxy made no connection (RFC 1928, section 6).
package enum SOCKSReply {
    /// Describes a reply code; nil is an unknown reply.
    package static func words(_ reply: UInt8?) -> String {
        switch reply {
        case 1: "general failure"
        case 2: "not allowed"
        case 3: "network unreachable"
        case 4: "host unreachable"
        case 5: "connection refused"
        case 6: "timeout"
        case 7: "not supported"
        case 8: "address type not supported"
        case let reply?: "reply \(reply)"
        case nil: "no reason given"
        }
    }
}
