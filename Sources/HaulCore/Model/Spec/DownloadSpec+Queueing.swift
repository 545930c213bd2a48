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
        /// The downloads of the same list that must have finished before it starts; it waits with the reason
        /// `dependency`.
        ///
        /// One that fails or is cancelled is waited for until it has finished after all; one that is removed no longer
        /// is. Adding a spec that names a download which does not exist is refused with `invalidRequest`.
        public var after: Set<DownloadID> = []
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
        .init("after", \.after, write: { $0.sorted() }, read: { Set($0) }),
        .init("startsAtOnce", \.startsAtOnce), .init("startsPaused", \.startsPaused),
    ]
}

extension DownloadSpec.Queueing: Codable {
    /// Decodes the part; what is missing has its default.
    public init(from decoder: any Decoder) throws { self = try Self.decoded(from: decoder) }
    /// Encodes what differs from the defaults.
    public func encode(to encoder: any Encoder) throws { try encodeFields(to: encoder) }
}

extension DownloadSpec {
    /// What identifies it where the caller gives no key: canonical URL without credentials, range, method and body,
    /// destination.
    ///
    /// `https://example.org/a.iso file:/home/a.iso`, or with a range `… bytes:0-100 folder:/home`, where the second
    /// offset is the one behind the last byte. A canonical URL holds no space, so no two specs share a key by accident.
    package var canonicalKey: String { canonicalKey(of: try? SourceURL(parsing: source.url)) }

    /// The same, for a URL that was parsed already; nil where it can't be parsed, and then it stands as it was written.
    package func canonicalKey(of source: SourceURL?) -> String {
        var key = source?.string ?? withoutSecrets().spec.source.url
        key += self.source.requestIdentity
        if let range = self.source.range { key += " bytes:\(range.lowerBound)-\(range.upperBound)" }
        switch placement.destination {
        case .file(let path): key += " file:" + path
        case .folder(let path): key += " folder:" + path
        case .hashed(let folder): key += " hashed:" + folder
        }
        return key
    }
}
