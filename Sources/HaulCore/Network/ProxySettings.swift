/// Which proxy a URL is fetched through, if any.
///
/// However it is printed, no password is shown.
public struct ProxySettings: Sendable, Hashable {
    private var byScheme: [String: ProxyURL] = [:]
    private var all: ProxyURL?
    private var exempt = NoProxyList("")

    /// No proxy, whatever the environment says.
    public init() {}

    /// One proxy for all URLs.
    ///
    /// - Parameters:
    ///   - url: `http://user:password@host:port`, or with `https`, `socks4`, `socks4a`, `socks5`, `socks5h`. Without a scheme it is
    ///     `http`, without a port 1080, or 443 for `https`.
    ///   - noProxy: The hosts that are asked directly: see `setNoProxy(_:)`.
    /// - Throws: `DownloadError` with code `invalidRequest` where that is no proxy.
    public init(url: String, noProxy: String = "") throws(DownloadError) {
        all = try ProxyURL(parsing: url)
        exempt = NoProxyList(noProxy)
    }

    /// As the usual environment variables say (curl(1), ENVIRONMENT).
    ///
    /// `http_proxy`, `https_proxy`, `ftp_proxy`, `ftps_proxy`, `all_proxy` and `no_proxy`, and each in capitals where it is not set in
    /// small letters, but for `HTTP_PROXY`: a web server puts the header `Proxy` of whoever asks into it (CVE-2016-5385). An empty
    /// one is as good as none.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the variable which is no proxy.
    public init(environment: [String: String]) throws(DownloadError) {
        func value(_ name: String) -> String? {
            let capitals = name == "http_proxy" ? nil : environment[name.uppercased()]
            return environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? capitals.flatMap { $0.isEmpty ? nil : $0 }
        }
        func proxy(_ name: String) throws(DownloadError) -> ProxyURL? {
            guard let text = value(name) else { return nil }
            do throws(DownloadError) {
                return try ProxyURL(parsing: text)
            } catch {
                throw DownloadError(error.code, "the environment variable \(name): \(error.message)")
            }
        }
        for scheme in Self.schemes { byScheme[scheme] = try proxy(scheme + "_proxy") }
        all = try proxy("all_proxy")
        exempt = NoProxyList(value("no_proxy") ?? "")
    }

    /// Changes which hosts are asked without a proxy.
    ///
    /// - Parameter list: Entries between commas or blanks: `*` for all, a name for itself and all that end in it behind a dot, an address,
    ///   or a network as `10.0.0.0/8`; behind a colon may stand the one port it is for.
    public mutating func setNoProxy(_ list: String) { exempt = NoProxyList(list) }

    /// Gives every proxy this user name and password.
    public mutating func setCredentials(user: String, password: String) {
        let credentials = URLCredentials(user: user, password: password)
        all?.credentials = credentials
        for scheme in byScheme.keys { byScheme[scheme]?.credentials = credentials }
    }

    /// Whether there is no proxy at all.
    public var isEmpty: Bool { all == nil && byScheme.isEmpty }

    /// The proxy for an origin; nil: it is asked directly.
    package func proxy(for origin: URLOrigin) -> ProxyURL? {
        guard let proxy = byScheme[origin.scheme] ?? all, !exempt.covers(host: origin.host, port: origin.port) else {
            return nil
        }
        return proxy
    }

    /// The proxy that passes requests for an origin on, so that a response may be its own; a tunnel and SOCKS bring the server's only.
    package func forwarder(for origin: URLOrigin) -> ProxyURL? {
        guard origin.scheme == "http", let proxy = proxy(for: origin) else { return nil }
        return proxy.scheme == .http || proxy.scheme == .https ? proxy : nil
    }

    private static let schemes = ["http", "https", "ftp", "ftps"]
}
