/// The location of a file: an absolute URL in canonical form, of a web or file server.
///
/// Parsed once, on input, so that later code can rely on a valid host and a correct encoding. Two values are equal if
/// scheme, host, port, path, query and credentials are.
package struct SourceURL: Hashable, Sendable {
    /// Scheme, host and port.
    package let origin: URLOrigin
    /// The path as sent: percent-encoded, beginning with `/`, without dot segments.
    package let path: String
    /// The query as sent: percent-encoded, without its `?`.
    ///
    /// Nil if there is none.
    package let query: String?
    /// The decoded user name and password.
    package let credentials: URLCredentials?

    /// Parses a URL as a person writes it.
    ///
    /// Percent-encodes spaces and characters beyond ASCII in path and query (as UTF-8); keeps `%XX`; encodes a stray
    /// `%` as `%25`. Lowercases scheme and host; drops the default port and the fragment; replaces an empty path with
    /// `/`; removes dot segments (RFC 3986, section 5.2.4).
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`, whose message names the URL without its secrets and says
    ///   how to correct it.
    package init(parsing text: String) throws(DownloadError) {
        do throws(URLProblem) {
            try self.init(absolute: URLParts(text))
        } catch {
            throw DownloadError(
                .invalidRequest, "invalid URL \"\(URLRedaction.shown(text))\": \(error.advice)")
        }
    }

    /// Returns the target of a redirect: the `Location` value `reference` resolved against this URL (RFC 3986, section
    /// 5.2), read as browsers do.
    ///
    /// Credentials belong to the authority: a reference without one keeps those of this URL; a reference with its own
    /// authority has its own credentials or none. Does not check if a redirect from `https` to `http` is allowed.
    ///
    /// - Throws: `DownloadError` with code `redirectRefused` if the target is not an `http` or `https` URL.
    package func resolving(_ reference: String) throws(DownloadError) -> SourceURL {
        do throws(URLProblem) {
            return try resolving(URLParts(redirect: reference, from: origin.scheme))
        } catch {
            let reason = if case .otherScheme = error { "only http and https are followed" } else { error.advice }
            throw DownloadError(
                .redirectRefused, "the server redirects to \"\(URLRedaction.shown(reference))\": \(reason)")
        }
    }

    private init(absolute parts: URLParts) throws(URLProblem) {
        guard let scheme = parts.scheme else { throw parts.path.contains(0x20) ? .space : .noScheme }
        guard URLOrigin.knows(scheme) else { throw .otherScheme(scheme) }
        guard let authority = parts.authority else { throw .noHost }
        try self.init(scheme: scheme, authority: authority, parts: parts)
    }

    private init(scheme: String, authority: ArraySlice<UInt8>, parts: URLParts) throws(URLProblem) {
        let authority = try URLAuthority(authority)
        origin = URLOrigin(scheme: scheme, host: authority.host, port: authority.port)
        credentials = authority.credentials
        path = URLPath.canonical(parts.path)
        query = parts.query.map(URLPath.canonicalQuery)
    }

    private init(base: SourceURL, path: String, query: String?) {
        origin = base.origin
        credentials = base.credentials
        self.path = path
        self.query = query
    }

    /// Returns the URL with another path, at the same origin and with the same query and credentials.
    package func moved(to path: String) -> SourceURL {
        SourceURL(base: self, path: URLPath.canonical(Array(path.utf8)[...]), query: query)
    }

    private func resolving(_ parts: URLParts) throws(URLProblem) -> SourceURL {
        // Redirects never lead to a file server, and file servers send none.
        if let scheme = parts.scheme, !URLOrigin.isWeb(scheme) { throw .otherScheme(scheme) }
        if parts.scheme != nil { return try SourceURL(absolute: parts) }
        if let authority = parts.authority {
            return try SourceURL(scheme: origin.scheme, authority: authority, parts: parts)
        }
        let newQuery = parts.query.map(URLPath.canonicalQuery)
        guard let first = parts.path.first else { return SourceURL(base: self, path: path, query: newQuery ?? query) }
        let target = first == UInt8(ascii: "/") ? parts.path : URLPath.merged(path, with: parts.path)
        return SourceURL(base: self, path: URLPath.canonical(target), query: newQuery)
    }
}

extension SourceURL {
    /// The canonical URL without credentials, as sent and as used for identity.
    package var string: String {
        var text = ""
        // 16 bytes are enough for the longest scheme and port.
        text.reserveCapacity(origin.host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 16)
        origin.write(to: &text)
        text += path
        if let query {
            text += "?"
            text += query
        }
        return text
    }

    /// The URL for logs and messages: without credentials, and with `REDACTED` in place of each query value.
    package var redacted: String { origin.description + path + (query.map { "?" + URLRedaction.query($0) } ?? "") }

    /// The host in lower case; an IPv6 address is in brackets.
    package var host: String { origin.host }

    /// True if the URL is fetched over TLS or SSH.
    package var isSecure: Bool { origin.scheme != "http" && origin.scheme != "ftp" }

    /// True if the URL is fetched over HTTP, where headers carry the credentials.
    package var isWeb: Bool { URLOrigin.isWeb(origin.scheme) }

    /// The decoded text after the last slash of the path, or nil if it is empty.
    ///
    /// Bytes that are not UTF-8 are read as Windows-1252.
    ///
    /// The text may contain anything, including slashes: only `FileName` makes it safe to use.
    package var lastPathComponent: String? {
        let encoded = path.utf8.suffix(from: path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex).dropFirst()
        guard !encoded.isEmpty else { return nil }
        guard encoded.contains(UInt8(ascii: "%")) else { return String(Substring(encoded)) }
        guard let bytes = PercentCoding.decode(encoded) else { return nil }
        return Windows1252.text(bytes)
    }
}

extension SourceURL: CustomStringConvertible, CustomDebugStringConvertible {
    /// The same as `redacted`, so that printing one is never a leak.
    package var description: String { redacted }
    package var debugDescription: String { redacted }
}
