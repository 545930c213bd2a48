import HaulCore

/// The URIs of one download, as a client names them.
package struct Aria2Sources: Hashable, Sendable {
    /// Where the file is: the first is asked first.
    package let urls: [String]

    /// The most sources that a download has.
    package static let maximum = 64

    /// Takes the URIs that Haul can fetch.
    ///
    /// - Parameters:
    ///   - uris: What the client named; what is no URI is left out, as with aria2.
    ///   - schemes: The schemes that are allowed; nil: all that Haul knows.
    /// - Throws: `Aria2Failure` where none is left.
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

    /// Puts them into a spec.
    func apply(to spec: inout DownloadSpec) {
        spec.url = urls.first ?? ""
        spec.mirrors = urls.dropFirst().map { DownloadSpec.Mirror(url: $0) }
    }
}

extension Aria2Failure {
    /// Haul fetches no torrents.
    static let torrent = refused("BitTorrent is not supported: add an HTTP, HTTPS, FTP or SFTP URI, or a Metalink.")
}
