/// The rules for following redirects.
package enum RedirectPolicy {
    /// The maximum number of redirects that one request follows.
    package static let limit = 20

    /// Returns the next URL to request.
    ///
    /// - Parameters:
    ///   - location: The `Location` value, which may be relative (RFC 9110, 10.2.2).
    ///   - current: The URL that responded.
    ///   - redirects: The URLs before it, oldest first.
    ///   - settled: The number of these URLs that were requested with other cookies than the next one; requesting one
    ///     of them again is not a loop.
    /// - Throws: `DownloadError` with code `redirectRefused`; for a loop, it lists the URLs of the loop.
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
