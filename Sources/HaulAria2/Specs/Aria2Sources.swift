import HaulCore

/// The URIs of one download, as given by a client.
package struct Aria2Sources: Hashable, Sendable {
    /// The URLs of the file; the first one is preferred.
    package let urls: [String]

    /// The maximum number of sources of a download.
    package static let maximum = 64

    /// Selects the URIs that Haul can fetch.
    ///
    /// - Parameters:
    ///   - uris: The client's URIs; invalid ones are ignored, as in aria2.
    ///   - schemes: The allowed schemes; nil for all that Haul supports.
    ///
    /// - Throws: `Aria2Failure` if none is left.
    package init(_ uris: [String], schemes: Set<String>?) throws(Aria2Failure) {
        if let magnet = uris.first, magnet.lowercased().hasPrefix("magnet:") { throw .torrent }
        var urls: [String] = []
        var problem: String?
        for uri in uris where urls.count < Self.maximum && !urls.contains(uri) {
            do throws(DownloadError) {
                let source = try SourceURL(parsing: uri)
                if let schemes, !schemes.contains(source.origin.scheme) {
                    problem = "\(source.origin.scheme) is not allowed here"
                    continue
                }
                urls.append(uri)
            } catch {
                problem = error.message
            }
        }
        guard !urls.isEmpty else { throw .refused("No URI to download.", detail: problem) }
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
    static let torrent = refused("BitTorrent is not supported: add an HTTP, HTTPS, FTP or SFTP URI, or a Metalink.")
}
