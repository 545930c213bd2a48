/// The hosts and paths that a cookie matches (RFC 6265, sections 5.1.3 and 5.1.4).
enum CookieScope {
    /// Returns true if a host is a domain or one of its subdomains; an IP address matches only itself.
    static func domain(_ host: String, matches domain: String) -> Bool {
        if host == domain { return true }
        return !domain.isEmpty && host.hasSuffix("." + domain) && IPAddress(host) == nil
    }

    /// Returns true if a path is the cookie's path or below it.
    static func path(_ path: String, matches cookiePath: String) -> Bool {
        guard path.utf8.starts(with: cookiePath.utf8) else { return false }
        let rest = path.utf8.dropFirst(cookiePath.utf8.count)
        return rest.isEmpty || cookiePath.utf8.last == UInt8(ascii: "/") || rest.first == UInt8(ascii: "/")
    }

    /// Returns the default path of a cookie: the path of the URL up to its last slash.
    static func defaultPath(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns true if a domain is a public suffix: a top-level domain, or a registry such as `co.uk`.
    ///
    /// An approximation of the Public Suffix List, whose 9,000 lines become outdated: it knows `com`, `co.uk`,
    /// `com.au`, `gov.br`. A cookie that passes wrongly lasts for one download and reaches only hosts that this
    /// download is redirected to.
    static func isShared(_ domain: String) -> Bool {
        let labels = domain.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard labels.count == 2 else { return labels.count < 2 }
        return labels[1].count == 2 && registries.contains(String(decoding: labels[0], as: UTF8.self))
    }

    private static let registries: Set<String> = [
        "ac", "co", "com", "ed", "edu", "go", "gob", "gouv", "gov", "gv", "id", "info", "lg", "ltd", "me", "mil", "ne",
        "net", "nom",
        "or", "org", "plc", "sch", "school", "web",
    ]
}
