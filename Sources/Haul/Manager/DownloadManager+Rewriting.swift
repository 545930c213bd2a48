package import HaulCore

/// For interfaces that have another program's vocabulary, and work where the downloads are.
extension DownloadManager {
    /// The downloads that pass a filter, in the order of the list.
    ///
    /// - Throws: `DownloadError` with code `notPossible` where the downloads are another process's.
    package func ids(_ filter: DownloadFilter) async throws(DownloadError) -> [DownloadID] {
        try await here.ids(filter)
    }

    /// What is asked of a download, with its headers and passwords.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload`, or `notPossible` if the downloads are another process's.
    package func fullSpec(_ id: DownloadID) async throws(DownloadError) -> DownloadSpec {
        try await here.fullSpec(id)
    }

    /// Changes what is asked of a download that is not at work: options, mirrors, the destination; not its URL, see `replaceSource`.
    ///
    /// A destination can be changed as long as nothing has been fetched.
    ///
    /// - Throws: `DownloadError` with code `notPossible` where it is at work or has ended, or is another process's; `invalidRequest`
    ///   where what it would be asked for can't be right; nothing has changed then.
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

/// What becomes of a download's source; what is nil stays as it is.
package struct SourceChange: Sendable {
    /// The URL.
    package var url: String?
    /// The headers.
    package var headers: [DownloadSpec.Header]?
    /// The password of its user.
    package var password: Secret?
    /// The token.
    package var bearerToken: Secret?
    /// Whether only public addresses are connected to.
    package var publicAddressesOnly: Bool?

    /// Changes nothing.
    package init() {}
}
