/// A proxy as a person or the environment names it: `http://user:password@host:3128`.
///
/// However it is printed, the credentials are not shown.
package struct ProxyURL: Sendable, Hashable {
    /// How it is spoken to (curl(1), `--proxy`).
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// HTTP in the clear.
        case http
        /// HTTP over TLS.
        case https
        /// SOCKS 4: names are looked up here.
        case socks4
        /// SOCKS 4a: names are looked up by the proxy.
        case socks4a
        /// SOCKS 5: names are looked up here.
        case socks5
        /// SOCKS 5: names are looked up by the proxy.
        case socks5h
    }

    /// How it is spoken to.
    package let scheme: Scheme
    /// Its name or address, an IPv6 address without brackets.
    package let host: String
    /// Its port.
    package let port: Int
    /// Who asks, where it wants to know.
    package var credentials: URLCredentials?

    /// Reads a proxy: without a scheme it is `http`, without a port 1080, or 443 for `https` (curl(1), `--proxy`).
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names it without its password and says what would be right.
    package init(parsing text: String) throws(DownloadError) {
        do throws(URLProblem) {
            try self.init(URLParts(text.contains("://") ? text : "http://" + text))
        } catch {
            let schemes = Scheme.allCases.map(\.rawValue).joined(separator: ", ")
            throw DownloadError(
                .invalidRequest,
                "invalid proxy \"\(URLRedaction.shown(text))\": expected SCHEME://HOST:PORT, with one of \(schemes)")
        }
    }

    private init(_ parts: URLParts) throws(URLProblem) {
        guard let name = parts.scheme else { throw .noScheme }
        // curl takes `socks://` for SOCKS 4, too.
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
    /// The same.
    package var debugDescription: String { description }
}
