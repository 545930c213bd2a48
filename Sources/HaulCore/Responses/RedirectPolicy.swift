/// Decides whether a redirect is followed.
package struct RedirectPolicy: Hashable, Sendable {
    /// The most redirects that one request follows.
    package static let limit = 20

    /// True if a redirect may lead from https to http.
    package let allowsDowngrade: Bool

    /// Creates the policy.
    package init(allowsDowngrade: Bool) { self.allowsDowngrade = allowsDowngrade }

    /// Returns true if a URL that a server names may be used: an https URL never leads to http unless that is allowed.
    package func admits(_ target: SourceURL, from current: SourceURL) -> Bool {
        target.isSecure || !current.isSecure || allowsDowngrade
    }

    /// Returns the URL to request next.
    ///
    /// - Parameters:
    ///   - location: the `Location` value, which may be relative (RFC 9110, 10.2.2).
    ///   - current: the URL that answered.
    ///   - redirects: the URLs before it, oldest first.
    ///   - settled: how many of all these were asked with other cookies than the next one: requesting one of them again is not a loop.
    /// - Throws: `DownloadError` with code `redirectRefused`, for a loop with its way.
    package func next(
        _ location: String, from current: SourceURL, after redirects: [SourceURL], settled: Int = 0
    ) throws(DownloadError) -> SourceURL {
        let target = try current.resolving(location)
        guard admits(target, from: current) else {
            throw DownloadError(
                .redirectRefused,
                "the server redirects from https to http, to \(target.redacted)", detail: .downgrade)
        }
        let way = redirects + [current]
        if let start = way.dropFirst(settled).firstIndex(of: target) {
            let loop = (way[start...] + [target]).map(\.redacted).joined(separator: " -> ")
            throw DownloadError(.redirectRefused, "redirect loop: \(loop)")
        }
        guard way.count <= Self.limit else {
            throw DownloadError(
                .redirectRefused, "too many redirects (limit: \(Self.limit)), the last one to \(target.redacted)")
        }
        return target
    }
}

extension DownloadSpec.Access {
    /// The policy for redirects.
    package var redirects: RedirectPolicy { RedirectPolicy(allowsDowngrade: allowsDowngrade) }
}
