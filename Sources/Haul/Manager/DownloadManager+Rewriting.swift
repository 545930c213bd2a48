package import HaulCore

/// For interfaces with the vocabulary of another program, which run in the process of the downloads.
extension DownloadManager {
    /// Returns the downloads that match a filter, in the order of the list.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the downloads belong to another process.
    package func ids(_ filter: DownloadFilter) async throws(DownloadError) -> [DownloadID] {
        try await here.ids(filter)
    }

    /// Returns the spec of a download, including headers and passwords.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload`, or `notPossible` if the downloads belong to another
    ///   process.
    package func fullSpec(_ id: DownloadID) async throws(DownloadError) -> DownloadSpec {
        try await here.fullSpec(id)
    }

    /// Changes the spec of a download that is not running: options, mirrors, destination; for its URL, see
    /// `replaceSource`.
    ///
    /// The destination can be changed as long as nothing has been fetched.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the download is running, has ended, or belongs to another
    ///   process; `invalidRequest` if the new spec is invalid. Nothing has changed then.
    package func rewrite(
        _ id: DownloadID, _ change: @Sendable (inout DownloadSpec) throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        try await here.rewrite(id, change)
    }

    private var here: LocalManager {
        get throws(DownloadError) {
            guard let local else { throw DownloadError(.notPossible, "the downloads belong to another process") }
            return local
        }
    }
}

/// Changes to a download's source; nil leaves a value as it is.
package struct SourceChange: Sendable {
    /// The URL.
    package var url: String?
    /// The headers.
    package var headers: [DownloadSpec.Header]?
    /// The password of the URL's user.
    package var password: Secret?
    /// The bearer token.
    package var bearerToken: Secret?
    /// True if only public addresses may be connected to.
    package var publicAddressesOnly: Bool?

    /// Creates an empty change.
    package init() {}
}
