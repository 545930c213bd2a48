public import Foundation
public import HaulCore

/// `URL` wherever a text is accepted.
extension DownloadEngine {
    /// Fetches and parses a Metalink document; see `metalink(from:like:)` for texts.
    public func metalink(from url: URL, like template: DownloadSpec? = nil) async throws(DownloadError) -> Metalink {
        try await metalink(from: url.absoluteString, like: template)
    }

    /// Verifies the file of a file URL; see `verify(_:against:)` for paths.
    public func verify(_ file: URL, against spec: DownloadSpec) async throws(DownloadError) -> Verification {
        try await verify(file.localPath, against: spec)
    }
}

extension Metalink {
    /// Reads a document from the file of a file URL; see `init(contentsOf:)` for paths.
    public init(contentsOf file: URL) throws(DownloadError) { try self.init(contentsOf: file.localPath) }

    /// Returns a spec for each file, in the folder of a file URL; see `specs(folder:)` for paths.
    public func specs(folder: URL) throws(DownloadError) -> [DownloadSpec] { specs(folder: try folder.localPath) }
}
