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

/// A part of a file that is being downloaded, and how far it is.
public struct DownloadSegment: Hashable, Sendable, Codable {
    /// The offset of its first byte.
    public var start: Int64
    /// The offset behind the last byte that is there.
    public var position: Int64
    /// The offset behind its last byte; nil where the size of the file is not known.
    public var end: Int64?
    /// Whether a connection is at work on it.
    public var isActive: Bool

    /// Makes a segment.
    public init(start: Int64, position: Int64, end: Int64?, isActive: Bool) {
        self.start = start
        self.position = position
        self.end = end
        self.isActive = isActive
    }
}

/// How many downloads stand where, and what they do together.
public struct DownloadSummary: Hashable, Sendable, Codable {
    /// How many are in each state; a state that none is in is missing.
    public var counts: [DownloadState.Kind: Int]
    /// Bytes per second over all that run.
    public var speed: Double
    /// Connections at work over all that run.
    public var connections: Int
    /// Whether something is going on that a person should see: on after 1.0 s of work, off after 0.17 s without.
    public var isActive: Bool

    /// Makes a summary.
    public init(
        counts: [DownloadState.Kind: Int] = [:], speed: Double = 0, connections: Int = 0, isActive: Bool = false
    ) {
        self.counts = counts
        self.speed = speed
        self.connections = connections
        self.isActive = isActive
    }

    /// How many are in a state.
    public subscript(kind: DownloadState.Kind) -> Int { counts[kind] ?? 0 }

    /// Both together; the whole is active where one of them is.
    public static func + (first: DownloadSummary, second: DownloadSummary) -> DownloadSummary {
        DownloadSummary(
            counts: first.counts.merging(second.counts, uniquingKeysWith: +), speed: first.speed + second.speed,
            connections: first.connections + second.connections, isActive: first.isActive || second.isActive)
    }
}

/// The identity of a download in one catalogue: a number that is never given twice, not even after a removal.
public struct DownloadID: RawRepresentable, Hashable, Comparable, Sendable, Codable {
    /// The number.
    public let rawValue: Int64

    /// Makes an identity of a number.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The older download is the smaller one.
    public static func < (first: DownloadID, second: DownloadID) -> Bool { first.rawValue < second.rawValue }
}

extension DownloadID: CustomStringConvertible {
    /// The number as text.
    public var description: String { String(rawValue) }
}
