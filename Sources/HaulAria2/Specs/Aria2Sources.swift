package import HaulCore

/// The URIs of one download, as given by a client.
package struct Aria2Sources: Hashable, Sendable {
    /// The URLs of the file; the first one is preferred.
    package let urls: [String]

    /// Throws an error for a source of a kind that is not allowed.
    package typealias Check = @Sendable (SourceURL) throws(DownloadError) -> Void

    /// The maximum number of sources of a download.
    package static let maximum = 64

    /// Selects the URIs that Haul can fetch.
    ///
    /// - Parameters:
    ///   - uris: The client's URIs; invalid ones are ignored, as in aria2.
    ///   - check: The rule for the kind of a source; those against it are ignored, too. Nil for all that Haul supports.
    ///
    /// - Throws: `Aria2Failure` if none is left.
    package init(_ uris: [String], check: Check? = nil) throws(Aria2Failure) {
        if let magnet = uris.first, magnet.lowercased().hasPrefix("magnet:") { throw .torrent }
        var urls: [String] = []
        var problem: String?
        var refusal: DownloadError?
        for uri in uris where urls.count < Self.maximum && !urls.contains(uri) {
            let source: SourceURL
            do throws(DownloadError) {
                source = try SourceURL(parsing: uri)
            } catch {
                problem = error.message
                continue
            }
            do throws(DownloadError) {
                try check?(source)
                urls.append(uri)
            } catch {
                refusal = error
            }
        }
        guard !urls.isEmpty else {
            // aria2 has no such rule, and so no message that clients could compare.
            if let refusal { throw Aria2Failure(refusal) }
            throw .refused("No URI to download.", detail: problem)
        }
        self.urls = urls
    }

    /// Sets the sources of a spec.
    func apply(to spec: inout DownloadSpec) {
        spec.url = urls.first ?? ""
        spec.mirrors = urls.dropFirst().map { DownloadSpec.Mirror(url: $0) }
    }
}

extension Aria2Failure {
    /// The error for torrents.
    package static let torrent = refused(
        "BitTorrent is not supported: add an HTTP, HTTPS, FTP or SFTP URI, or a Metalink.")
}
