/// Decides which clients may send requests, before anything in a request is evaluated.
///
/// Without a secret, aria2 allows every page in a browser to call it. Haul does not: without a secret, only pages of
/// the same origin and browser extensions are allowed, unless all origins are permitted. The requested host name must
/// be a name of this machine, so that no name of the web can be pointed at it (DNS rebinding).
package struct Aria2Access: Hashable, Sendable {
    /// True if pages of any origin may call and read the responses.
    package var allowsAllOrigins = false
    /// True if a secret is required, which a page does not know.
    package var hasSecret = false
    /// True if other machines may call.
    package var listensEverywhere = false

    /// Creates the rules.
    package init(allowsAllOrigins: Bool = false, hasSecret: Bool = false, listensEverywhere: Bool = false) {
        self.allowsAllOrigins = allowsAllOrigins
        self.hasSecret = hasSecret
        self.listensEverywhere = listensEverywhere
    }

    /// Returns true if a request with these headers is admitted.
    package func admits(host: String?, origin: String?) -> Bool {
        guard !hasSecret else { return true }
        if !listensEverywhere, let host, !Self.isLocal(host) { return false }
        guard !allowsAllOrigins, let origin else { return true }
        return Self.isExtension(origin) || (host.map { Self.isSame(origin, host: $0) } ?? false)
    }

    /// Returns true if the request is from a page of another origin, which must not receive notifications before it has
    /// sent the secret.
    package func isForeign(host: String?, origin: String?) -> Bool {
        guard let origin else { return false }
        return !(host.map { Self.isSame(origin, host: $0) } ?? false)
    }

    /// Returns true for a name of this machine: `localhost` and all names below it (RFC 6761, section 6.3), and
    /// loopback addresses.
    private static func isLocal(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasPrefix("[") { return name.hasPrefix("[::1]") }
        if let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")) { name = String(name[..<colon]) }
        if name == "localhost" || name.hasSuffix(".localhost") { return true }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    private static func isSame(_ origin: String, host: String) -> Bool {
        ["http://", "https://"].contains { origin.lowercased() == $0 + host.lowercased() }
    }

    /// Returns true for an origin that the browser sets for extensions; no page can have it.
    private static func isExtension(_ origin: String) -> Bool {
        ["chrome-extension://", "moz-extension://", "safari-web-extension://"].contains(where: origin.hasPrefix)
    }
}
