#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The state of a download at one instant, as one consistent value.
public struct DownloadSnapshot: Hashable, Sendable, Codable, Identifiable {
    /// The identity of the download.
    public var id: DownloadID
    /// The caller's key for it.
    public var key: String
    /// The specification, without secrets.
    public var spec: DownloadSpec
    /// The current state.
    public var state: DownloadState
    /// The current or future path of the file; nil until it is known.
    public var path: String?
    /// The progress; for a download that is not running, the last known one.
    public var progress: TransferProgress
    /// The time when it was added.
    public var added: Date
    /// The time of the last change of its state.
    public var changed: Date

    /// Creates a snapshot.
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

/// A part of a file that is being downloaded, and its progress.
public struct DownloadSegment: Hashable, Sendable, Codable {
    /// The offset of the first byte.
    public var start: Int64
    /// The offset after the last byte received.
    public var position: Int64
    /// The offset after the last byte of the segment; nil if the size of the file is unknown.
    public var end: Int64?
    /// True if a connection is fetching it.
    public var isActive: Bool

    /// Creates a segment.
    public init(start: Int64, position: Int64, end: Int64?, isActive: Bool) {
        self.start = start
        self.position = position
        self.end = end
        self.isActive = isActive
    }
}

/// The number of downloads by state, and their total speed.
public struct DownloadSummary: Hashable, Sendable, Codable {
    /// The number of downloads in each state; states without downloads are omitted.
    public var counts: [DownloadState.Kind: Int]
    /// The total speed of the running downloads in bytes per second.
    public var speed: Double
    /// The total number of open connections.
    public var connections: Int
    /// True if there is activity that a user should see: on after 1.0 s of activity, off after 0.17 s without.
    public var isActive: Bool

    /// Creates a summary.
    public init(
        counts: [DownloadState.Kind: Int] = [:], speed: Double = 0, connections: Int = 0, isActive: Bool = false
    ) {
        self.counts = counts
        self.speed = speed
        self.connections = connections
        self.isActive = isActive
    }

    /// The number of downloads in a state.
    public subscript(kind: DownloadState.Kind) -> Int { counts[kind] ?? 0 }

    /// Adds two summaries; the sum is active if one of them is.
    public static func + (first: DownloadSummary, second: DownloadSummary) -> DownloadSummary {
        DownloadSummary(
            counts: first.counts.merging(second.counts, uniquingKeysWith: +), speed: first.speed + second.speed,
            connections: first.connections + second.connections, isActive: first.isActive || second.isActive)
    }
}

/// The identity of a download in one catalogue: a number that is never reused, not even after a removal.
public struct DownloadID: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    /// The number.
    public let rawValue: Int64

    /// Creates an identity from a number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Orders downloads by age: an older download is less than a newer one.
    public static func < (first: DownloadID, second: DownloadID) -> Bool { first.rawValue < second.rawValue }
}

extension DownloadID: CustomStringConvertible {
    /// The number as text.
    public var description: String { String(rawValue) }
}
