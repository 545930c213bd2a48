/// One cookie, and to whom it is sent (RFC 6265, section 5.3).
///
/// However it is printed, its value is not shown.
package struct Cookie: Sendable, Hashable {
    /// Its name; may be empty.
    package var name: String
    /// Its value, which is a secret.
    package var value: String
    /// The host in lower case, without a dot before it; an IPv6 address in brackets.
    package var domain: String
    /// Whether it is for that host alone, and not for those that end in it.
    package var isHostOnly: Bool
    /// The path that a URL has to have or begin with.
    package var path: String
    /// Whether it is sent over TLS only.
    package var isSecure: Bool
    /// When it ends, in seconds since 1970; nil: with the download.
    package var expires: Int64?

    /// Whether it is sent to a URL at a time, in seconds since 1970 (RFC 6265, section 5.4).
    package func fits(_ url: SourceURL, now: Int64) -> Bool {
        guard expires.map({ $0 > now }) ?? true, url.isSecure || !isSecure else { return false }
        guard isHostOnly ? url.host == domain : CookieScope.domain(url.host, matches: domain) else { return false }
        return CookieScope.path(url.path, matches: path)
    }

    /// Whether another one takes its place (RFC 6265, section 5.3, step 11).
    func isSameThing(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path && isHostOnly == other.isHostOnly
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path.
    package var description: String { "\(name) for \(isHostOnly ? "" : ".")\(domain)\(path)" }
    /// The same.
    package var debugDescription: String { description }
    /// Hides the value from `dump`, too.
    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
