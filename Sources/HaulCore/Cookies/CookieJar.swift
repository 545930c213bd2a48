/// The cookies of one download: those from a file, and those that responses set, which end with the download.
package struct CookieJar: Sendable, Hashable {
    /// The maximum number of cookies per domain that responses may set (RFC 6265, section 6.1); the oldest is dropped
    /// first.
    package static let limitPerDomain = 50
    /// The maximum number of cookies that responses may set.
    package static let limit = 1000

    private var loaded: [Cookie]
    private var received: [Cookie] = []

    /// Creates a jar with the cookies of a file.
    package init(_ cookies: [Cookie] = []) { loaded = cookies }

    /// Stores the cookies that a response set.
    ///
    /// - Returns: true if the next request sends other cookies, as far as is known.
    package mutating func receive(_ values: [String], from url: SourceURL, now: Int64) -> Bool {
        values.reduce(false) { changed, value in
            guard let cookie = Cookie(setCookie: value, from: url, now: now) else { return changed }
            return put(cookie, from: url, now: now) || changed
        }
    }

    /// Returns the value of the `Cookie` header for a request, or nil if there is none.
    ///
    /// Cookies with longer paths come first, then older ones (RFC 6265, section 5.4).
    package func header(for url: SourceURL, now: Int64) -> String? {
        if loaded.isEmpty, received.isEmpty { return nil }
        let fitting = (loaded + received).filter { $0.fits(url, now: now) }.enumerated().sorted {
            ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
        }
        guard !fitting.isEmpty else { return nil }
        return fitting.map { $0.element.name.isEmpty ? $0.element.value : "\($0.element.name)=\($0.element.value)" }
            .joined(separator: "; ")
    }

    private mutating func put(_ cookie: Cookie, from url: SourceURL, now: Int64) -> Bool {
        // RFC 6265bis, section 5.7: a response without TLS cannot replace a secure cookie.
        let isTaken = (loaded + received).contains { $0.isSecure && $0.isSameThing(as: cookie) }
        if isTaken, !url.isSecure { return false }
        let old = (loaded + received).first { $0.isSameThing(as: cookie) }
        loaded.removeAll { $0.isSameThing(as: cookie) }
        received.removeAll { $0.isSameThing(as: cookie) }
        guard cookie.expires.map({ $0 > now }) ?? true else { return old != nil }
        if received.count(where: { $0.domain == cookie.domain }) >= Self.limitPerDomain,
            let oldest = received.firstIndex(where: { $0.domain == cookie.domain })
        {
            received.remove(at: oldest)
        }
        if received.count >= Self.limit { received.removeFirst() }
        received.append(cookie)
        return old?.value != cookie.value
    }
}
