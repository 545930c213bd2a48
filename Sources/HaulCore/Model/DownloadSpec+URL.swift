#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// `URL` wherever a text is accepted.
extension DownloadSpec {
    /// Creates a spec with the documented defaults.
    public init(url: URL, destination: Destination) { self.init(url: url.absoluteString, destination: destination) }
}

extension DownloadSpec.Mirror {
    /// Creates a mirror.
    public init(url: URL, priority: Int = 1, location: String? = nil) {
        self.init(url: url.absoluteString, priority: priority, location: location)
    }
}

extension Destination {
    /// Returns the destination at the path of a file URL.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not a file URL.
    public static func file(_ url: URL) throws(DownloadError) -> Destination { .file(path: try url.localPath) }

    /// Returns the destination in the directory of a file URL.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not a file URL.
    public static func folder(_ url: URL) throws(DownloadError) -> Destination { .folder(path: try url.localPath) }

    /// Returns the destination with a name by hash in the directory of a file URL.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not a file URL.
    public static func hashed(_ url: URL) throws(DownloadError) -> Destination { .hashed(folder: try url.localPath) }
}

extension ProxySettings {
    /// Uses one proxy for all URLs; see `init(url:noProxy:)` for texts.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the URL is not a valid proxy.
    public init(url: URL, noProxy: String = "") throws(DownloadError) {
        try self.init(url: url.absoluteString, noProxy: noProxy)
    }
}

extension URL {
    /// The decoded path of a file URL, without a slash at its end.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if it is not a file URL.
    package var localPath: String {
        get throws(DownloadError) {
            guard isFileURL else {
                throw DownloadError(
                    .invalidRequest, "\"\(URLRedaction.quoted(absoluteString, width: 200))\" is not a file URL")
            }
            return path
        }
    }
}
