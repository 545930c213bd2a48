/// Selects the proxy for each URL, if any.
///
/// Printing a value never shows a password.
public struct ProxySettings: Sendable, Hashable {
    private var byScheme: [String: ProxyURL] = [:]
    private var all: ProxyURL?
    private var exempt = NoProxyList("")

    /// Makes settings without a proxy; the environment is not read.
    public init() {}

    /// Uses one proxy for all URLs.
    ///
    /// - Parameters:
    ///   - url: `http://user:password@host:port`, or with `https`, `socks4`, `socks4a`, `socks5` or `socks5h`. The
    ///     default scheme is `http`; the default port is 1080, or 443 for `https`.
    ///   - noProxy: The hosts that are reached directly: see `setNoProxy(_:)`.
    /// - Throws: `DownloadError` with code `invalidRequest` if the URL is not a valid proxy.
    public init(url: String, noProxy: String = "") throws(DownloadError) {
        all = try ProxyURL(parsing: url)
        exempt = NoProxyList(noProxy)
    }

    /// Reads the usual environment variables (curl(1), ENVIRONMENT).
    ///
    /// These are `http_proxy`, `https_proxy`, `ftp_proxy`, `ftps_proxy`, `all_proxy` and `no_proxy`. If one is not set
    /// in lower case, its upper-case form is read, except `HTTP_PROXY`: web servers put the client's `Proxy` header
    /// into it (CVE-2016-5385). An empty variable counts as not set. `ftpes` URLs use the proxy of `ftp`, as with
    /// `curl --ssl-reqd`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the variable with the invalid proxy.
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
        byScheme["ftpes"] = byScheme["ftp"]
        all = try proxy("all_proxy")
        exempt = NoProxyList(value("no_proxy") ?? "")
    }

    /// Sets the hosts that are reached without a proxy.
    ///
    /// - Parameter list: Entries separated by commas or blanks: `*` for all hosts, a name for itself and its
    ///   subdomains, an address, or a network such as `10.0.0.0/8`. A colon and a port limit an entry to that port.
    public mutating func setNoProxy(_ list: String) { exempt = NoProxyList(list) }

    /// Sets the user name and password for every proxy.
    public mutating func setCredentials(user: String, password: String) {
        let credentials = URLCredentials(user: user, password: password)
        all?.credentials = credentials
        for scheme in byScheme.keys { byScheme[scheme]?.credentials = credentials }
    }

    /// True if no proxy is set.
    public var isEmpty: Bool { all == nil && byScheme.isEmpty }

    /// Returns the proxy for an origin, or nil if it is reached directly.
    package func proxy(for origin: URLOrigin) -> ProxyURL? {
        guard let proxy = byScheme[origin.scheme] ?? all, !exempt.covers(host: origin.host, port: origin.port) else {
            return nil
        }
        return proxy
    }

    /// Returns the HTTP proxy that forwards plain requests to an origin, and so may respond itself.
    ///
    /// Tunnels and SOCKS proxies only pass on the server's responses.
    package func forwarder(for origin: URLOrigin) -> ProxyURL? {
        guard origin.scheme == "http", let proxy = proxy(for: origin) else { return nil }
        return proxy.scheme == .http || proxy.scheme == .https ? proxy : nil
    }

    private static let schemes = ["http", "https", "ftp", "ftps"]
}
