public import HaulCore

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// `URL` wherever a text is accepted.
extension DownloadManager {
    /// Adds a download to the default folder; see `add(_:)` for texts.
    @discardableResult
    public func add(_ url: URL) async throws(DownloadError) -> Download { try await add(url.absoluteString) }

    /// Returns the first download of the list with a URL, or nil; see `download(url:)` for texts.
    public func download(url: URL) async throws(DownloadError) -> Download? {
        try await download(url: url.absoluteString)
    }

    /// Replaces the source of a download; see `replaceSource(_:url:headers:password:bearerToken:publicAddressesOnly:)`
    /// for texts.
    public func replaceSource(
        _ id: DownloadID, url: URL, headers: [DownloadSpec.Header]? = nil, password: Secret? = nil,
        bearerToken: Secret? = nil, publicAddressesOnly: Bool? = nil
    ) async throws(DownloadError) {
        try await replaceSource(
            id, url: url.absoluteString, headers: headers, password: password, bearerToken: bearerToken,
            publicAddressesOnly: publicAddressesOnly)
    }
}

extension Download {
    /// See `DownloadManager.replaceSource(_:url:headers:password:bearerToken:publicAddressesOnly:)`.
    public func replaceSource(
        url: URL, headers: [DownloadSpec.Header]? = nil, password: Secret? = nil, bearerToken: Secret? = nil
    ) async throws(DownloadError) {
        try await replaceSource(
            url: url.absoluteString, headers: headers, password: password, bearerToken: bearerToken)
    }
}
