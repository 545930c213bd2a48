#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// All that is known of a download at one instant, as one consistent value.
public struct DownloadSnapshot: Hashable, Sendable, Codable, Identifiable {
    /// The download.
    public var id: DownloadID
    /// The caller's identity for it.
    public var key: String
    /// What was asked for, without secrets.
    public var spec: DownloadSpec
    /// Where it stands.
    public var state: DownloadState
    /// Where the file is or will be, once that is known.
    public var path: String?
    /// How far it is; for a download that is not running, how far it was.
    public var progress: TransferProgress
    /// When it was added.
    public var added: Date
    /// When its state changed last.
    public var changed: Date

    /// Makes a snapshot.
    public init(
        id: DownloadID, key: String, spec: DownloadSpec, state: DownloadState, path: String?,
        progress: TransferProgress, added: Date, changed: Date
    ) {
        self.id = id
        self.key = key
        self.spec = spec
        self.state = state
        self.path = path
        self.progress = progress
        self.added = added
        self.changed = changed
    }
}
