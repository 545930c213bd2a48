/// The versions of a file that responses and the journal have shown, for a response that announces no size.
///
/// Without them, a response that is cut by the end of its connection, or by a proxy whose server broke off, would look
/// complete.
package struct SeenVersions: Hashable, Sendable {
    private struct Version: Hashable {
        var validators: Validators
        var total: Int64?
        /// The number of bytes that were received; the file is at least as large.
        var bytes: Int64 = 0

        /// Forgets a size that is too small, and so that of an earlier version.
        mutating func forgetSmallSize() {
            if let size = total, size < bytes { total = nil }
        }
    }

    private static let limit = 8
    /// The last one is the newest.
    private var versions: [Version] = []

    /// Creates an empty set.
    package init() {}

    /// Adds what a response has shown of a version.
    ///
    /// Without a strong tag, the file may have become smaller than what was received before: the announced size counts.
    package mutating func add(_ validators: Validators, total: Int64?) {
        update(validators) { version in
            version.total = total ?? version.total
            if validators.strongETag != nil { version.forgetSmallSize() }
        }
    }

    /// Adds what is known of existing data.
    ///
    /// A size that a response has announced for the same validators counts more: weak ones may stay the same although the
    /// file has changed.
    package mutating func addExisting(_ existing: KnownVersion, bytes: Int64 = 0) {
        update(existing.validators) { version in
            version.bytes = max(version.bytes, bytes)
            guard version.total == nil else { return }
            version.total = existing.total
            version.forgetSmallSize()
        }
    }

    /// Adds what is known of a partial file.
    mutating func addExisting(_ version: KnownVersion, _ pieces: [Located.Piece]) {
        addExisting(version, bytes: pieces.first { $0.start == 0 }?.position ?? 0)
    }

    /// Records that a response with these validators, which announced no size, was longer than the known size: it is
    /// unknown again.
    mutating func outgrew(_ validators: Validators, _ total: Int64) {
        update(validators) { version in
            (version.total, version.bytes) = (nil, max(version.bytes, total + 1))
        }
    }

    /// Makes the version with these validators the newest one, and changes it.
    private mutating func update(_ validators: Validators, _ change: (inout Version) -> Void) {
        var version = Version(validators: validators)
        if let index = versions.lastIndex(where: { $0.validators.areRepeated(by: validators) }) {
            let known = versions.remove(at: index)
            (version.total, version.bytes) = (known.total, known.bytes)
        }
        change(&version)
        versions.append(version)
        if versions.count > Self.limit { versions.removeFirst() }
    }

    /// Returns the size of the file in a response: the announced one, or that of its version.
    func total(of facts: ResponseFacts) -> Int64? { facts.total ?? total(with: facts.validators) }

    /// Returns the size of the version with these validators; nil if it is unknown, or if there are none.
    package func total(with validators: Validators) -> Int64? { version(with: validators)?.total }

    /// The size of the newest version that has one: a response without validators may be of it.
    package var newestTotal: Int64? { versions.last { $0.total != nil }?.total }

    /// Returns the number of bytes that the version with these validators has at least.
    package func leastBytes(of validators: Validators) -> Int64 { version(with: validators)?.bytes ?? 0 }

    /// Returns true if the version of a response without a size is known to have more bytes than were received.
    ///
    /// Without validators, any bytes that were received are more than none.
    func hasMore(than bytes: Int64, of validators: Validators) -> Bool {
        bytes < leastBytes(of: validators) || bytes == 0 && !validators.hasAny && mostBytes > 0
    }

    /// The largest number of bytes that were received of a version: a response without validators may be of it.
    package var mostBytes: Int64 { versions.map(\.bytes).max() ?? 0 }

    private func version(with validators: Validators) -> Version? {
        versions.last { $0.validators.areRepeated(by: validators) }
    }
}

/// The versions that each source of a file was seen to have.
struct SeenVersionsOfSources: Sendable {
    private var versions: [SourceID: SeenVersions] = [:]

    /// The versions of one source.
    subscript(source: SourceID) -> SeenVersions {
        get { versions[source] ?? SeenVersions() }
        set { versions[source] = newValue }
    }
}
