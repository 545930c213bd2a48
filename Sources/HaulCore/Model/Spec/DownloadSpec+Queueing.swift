#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DownloadSpec {
    /// The identity of a download, and its place in the list.
    public struct Queueing: Sendable, Hashable {
        /// The caller's identity for the download; nil for canonical URL and destination.
        ///
        /// Adding a spec whose key exists returns the existing download.
        public var key: String?
        /// The caller's label for related downloads.
        public var group: String?
        /// The caller's own labels.
        public var tags: Set<String> = []
        /// The priority, -1000 to 1000; higher ones start first.
        public var priority = 0
        /// The time before which it must not start.
        public var notBefore: Date?
        /// True if it starts at once, regardless of the manager's limits: "start now", and every download of a batch.
        public var startsAtOnce = false
        /// True if it is added paused.
        public var startsPaused = false

        /// Creates the part with its defaults.
        public init() {}
    }
}

extension DownloadSpec.Queueing: SpecPart {
    package static let standard = Self()

    package static let fields: [PartField<Self>] = [
        .init("key", \.key), .init("group", \.group),
        .init("tags", \.tags, write: { $0.sorted() }, read: { Set($0) }),
        .init("priority", \.priority, in: -1000...1000), .init("notBefore", \.notBefore),
        .init("startsAtOnce", \.startsAtOnce), .init("startsPaused", \.startsPaused),
    ]
}

extension DownloadSpec.Queueing: Codable {
    /// Decodes the part; what is missing has its default.
    public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }
    /// Encodes what differs from the defaults.
    public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }
}
