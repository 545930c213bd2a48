/// Where a redirect may lead.
package enum RedirectPolicy {
    /// The most redirects that one request follows.
    package static let limit = 20

    /// The URL to ask next.
    ///
    /// - Parameters:
    ///   - location: the `Location` value, which may be relative (RFC 9110, 10.2.2).
    ///   - current: the URL that answered.
    ///   - redirects: the URLs before it, oldest first.
    ///   - settled: how many of all these were asked with other cookies than the next one: to ask one of them again is no loop.
    /// - Throws: `DownloadError` with code `redirectRefused`, for a loop with its way.
    package static func next(
        _ location: String, from current: SourceURL, after redirects: [SourceURL], allowsDowngrade: Bool,
        settled: Int = 0
    ) throws(DownloadError) -> SourceURL {
        let target = try current.resolving(location)
        if current.isSecure, !target.isSecure, !allowsDowngrade {
            throw DownloadError(
                .redirectRefused,
                "the server redirects from https to http, to \(target.redacted)", detail: .downgrade)
        }
        let way = redirects + [current]
        if let start = way.dropFirst(settled).firstIndex(of: target) {
            let loop = (way[start...] + [target]).map(\.redacted).joined(separator: " -> ")
            throw DownloadError(.redirectRefused, "redirect loop: \(loop)")
        }
        guard way.count <= limit else {
            throw DownloadError(
                .redirectRefused, "too many redirects (limit: \(limit)), the last one to \(target.redacted)")
        }
        return target
    }
}
