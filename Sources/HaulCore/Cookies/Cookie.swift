/// A cookie and the URLs that it is sent to (RFC 6265, section 5.3).
///
/// Its textual descriptions do not contain the value.
package struct Cookie: Sendable, Hashable {
    /// Its name; may be empty.
    package var name: String
    /// Its value, which is a secret.
    package var value: String
    /// The host in lowercase, without a leading dot; an IPv6 address in brackets.
    package var domain: String
    /// True if it is only for that host, not for its subdomains.
    package var isHostOnly: Bool
    /// The path that a URL must have or begin with.
    package var path: String
    /// True if it is sent over TLS only.
    package var isSecure: Bool
    /// The time when it expires, in seconds since 1970; nil: at the end of the download.
    package var expires: Int64?

    /// Returns true if the cookie is sent to a URL at a time in seconds since 1970 (RFC 6265, section 5.4).
    package func fits(_ url: SourceURL, now: Int64) -> Bool {
        guard expires.map({ $0 > now }) ?? true, url.isSecure || !isSecure else { return false }
        guard isHostOnly ? url.host == domain : CookieScope.domain(url.host, matches: domain) else { return false }
        return CookieScope.path(url.path, matches: path)
    }

    /// Returns true if one cookie replaces the other (RFC 6265, section 5.3, step 11).
    func isSameThing(as other: Cookie) -> Bool {
        name == other.name && domain == other.domain && path == other.path && isHostOnly == other.isHostOnly
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path.
    package var description: String { "\(name) for \(isHostOnly ? "" : ".")\(domain)\(path)" }
    /// The same as `description`.
    package var debugDescription: String { description }
    /// Hides the value from `dump`, too.
    package var customMirror: Mirror { Mirror(self, children: ["name": name]) }
}
