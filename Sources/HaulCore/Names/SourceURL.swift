/// Where a file comes from: an absolute URL in canonical form, of the web or of a file server.
///
/// Parsed once, at the border; behind it nobody asks again whether a host is there or a byte must be encoded. Two
/// values are equal where scheme, host, port, path, query and credentials are.
package struct SourceURL: Hashable, Sendable {
    /// Scheme, host and port.
    package let origin: URLOrigin
    /// The path as it is sent: percent-encoded, beginning with `/`, without dot segments.
    package let path: String
    /// The query as it is sent, percent-encoded, without its `?`; nil where there is none.
    package let query: String?
    /// User name and password, decoded.
    package let credentials: URLCredentials?

    /// Reads a URL as a person writes it.
    ///
    /// Spaces and letters beyond ASCII in path and query are percent-encoded (as UTF-8); `%XX` stays as it is; a stray
    /// `%` becomes `%25`. Scheme and host become lower case; default port and fragment are dropped; an empty path
    /// becomes `/`; dot segments are removed (RFC 3986, section 5.2.4).
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the URL without its secrets and says what
    ///   would be right.
    package init(parsing text: String) throws(DownloadError) {
        do throws(URLProblem) {
            try self.init(absolute: URLParts(text))
        } catch {
            throw DownloadError(
                .invalidRequest, "invalid URL \"\(URLRedaction.shown(text))\": \(error.advice)")
        }
    }

    /// The URL that a `Location` header leads to: `reference` resolved against this URL (RFC 3986, section 5.2), read as browsers do.
    ///
    /// Credentials follow the authority: a reference without one keeps those of this URL, one with another has its own
    /// or none. Whether a redirect may go from `https` to `http` is not asked here.
    ///
    /// - Throws: `DownloadError` with code `redirectRefused` where that is no `http` or `https` URL.
    package func resolving(_ reference: String) throws(DownloadError) -> SourceURL {
        do throws(URLProblem) {
            return try resolving(URLParts(redirect: reference, from: origin.scheme))
        } catch {
            throw DownloadError(
                .redirectRefused, "the server redirects to \"\(URLRedaction.shown(reference))\": \(error.advice)")
        }
    }

    private init(absolute parts: URLParts) throws(URLProblem) {
        guard let scheme = parts.scheme else { throw .noScheme }
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

    /// The URL of another path at the same origin, with the same query and credentials.
    package func moved(to path: String) -> SourceURL {
        SourceURL(base: self, path: URLPath.canonical(Array(path.utf8)[...]), query: query)
    }

    private func resolving(_ parts: URLParts) throws(URLProblem) -> SourceURL {
        // No redirect leads from the web to a file server, nor is there one from there.
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
    /// The canonical URL without credentials: what is sent, and what identifies it.
    package var string: String {
        var text = ""
        // The longest scheme and port are shorter.
        text.reserveCapacity(origin.host.utf8.count + path.utf8.count + (query?.utf8.count ?? 0) + 16)
        origin.write(to: &text)
        text += path
        if let query {
            text += "?"
            text += query
        }
        return text
    }

    /// The URL for logs and messages: without credentials, and with `REDACTED` for each value in its query.
    package var redacted: String { origin.description + path + (query.map { "?" + URLRedaction.query($0) } ?? "") }

    /// The host in lower case; an IPv6 address stands in its brackets.
    package var host: String { origin.host }

    /// Whether it is fetched over TLS or SSH.
    package var isSecure: Bool { origin.scheme != "http" && origin.scheme != "ftp" }

    /// Whether it is fetched by HTTP, where headers say who asks.
    package var isWeb: Bool { URLOrigin.isWeb(origin.scheme) }

    /// What stands behind the last slash of the path, decoded; nil where that is empty.
    ///
    /// Bytes that are not UTF-8 are Windows-1252.
    ///
    /// It may hold anything that can be encoded, slashes included: only `FileName` makes a name of it.
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
