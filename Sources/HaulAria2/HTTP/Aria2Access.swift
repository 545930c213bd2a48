/// Who may ask, before anything that he says is looked at.
///
/// aria2 lets every page that a browser shows call it where there is no secret. Haul does not: then only pages of the same origin and
/// extensions of the browser may, unless all were allowed; and the name that was asked for has to be one of this machine, so that no name
/// of the web can be pointed at it (DNS rebinding).
package struct Aria2Access: Hashable, Sendable {
    /// Whether pages of any origin may call, and read the answers.
    package var allowsAllOrigins = false
    /// Whether a secret is asked for, which no page knows by itself.
    package var hasSecret = false
    /// Whether other machines may call.
    package var listensEverywhere = false

    /// Makes the rules.
    package init(allowsAllOrigins: Bool = false, hasSecret: Bool = false, listensEverywhere: Bool = false) {
        self.allowsAllOrigins = allowsAllOrigins
        self.hasSecret = hasSecret
        self.listensEverywhere = listensEverywhere
    }

    /// Whether a request with these headers may be looked at.
    package func admits(host: String?, origin: String?) -> Bool {
        guard !hasSecret else { return true }
        if !listensEverywhere, let host, !Self.isLocal(host) { return false }
        guard !allowsAllOrigins, let origin else { return true }
        return Self.isExtension(origin) || (host.map { Self.isSame(origin, host: $0) } ?? false)
    }

    /// Whether a page of another origin asks, which may listen to nothing before it has shown the secret.
    package func isForeign(host: String?, origin: String?) -> Bool {
        guard let origin else { return false }
        return !(host.map { Self.isSame(origin, host: $0) } ?? false)
    }

    /// RFC 6761, section 6.3: `localhost` and all below it is this machine.
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

    /// Such an origin is told by the browser itself; no page can have it.
    private static func isExtension(_ origin: String) -> Bool {
        ["chrome-extension://", "moz-extension://", "safari-web-extension://"].contains(where: origin.hasPrefix)
    }
}
