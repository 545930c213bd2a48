package import HaulCore

/// The result of an earlier session, as far as it can be trusted.
package struct PartialState: Sendable, Hashable {
    /// The size of the complete file, or nil if it was unknown.
    package var totalBytes: Int64?
    /// The ETag of the version that the bytes belong to.
    package var etag: String?
    /// The Last-Modified value of the version that the bytes belong to.
    package var lastModified: String?
    /// The segments, in order: the first starts at 0, each ends where the next one starts, the last at the end of the
    /// file.
    package var segments: [ResumedSegment]
    /// The origin of the bytes.
    package var provenance = Provenance.oneSource
    /// The source whose validators these are.
    package var describer = JournalDescriber()
    /// The identity of the download's main source in that session.
    package var owner = ""
    /// True if the bytes come from another source than the current one.
    package var isOfOtherSource = false

    /// Makes a state.
    package init(
        totalBytes: Int64?, etag: String?, lastModified: String?, segments: [ResumedSegment]
    ) {
        self.totalBytes = totalBytes
        self.etag = etag
        self.lastModified = lastModified
        self.segments = segments
    }

    /// The number of bytes on disk.
    package var fileBytes: Int64 { segments.reduce(0) { $0 + ($1.position - $1.start) } }
}

/// A segment of an earlier session.
package struct ResumedSegment: Sendable, Hashable {
    /// The offset of its first byte.
    package var start: Int64
    /// The offset up to which its bytes are on disk.
    package var position: Int64

    /// Makes a segment.
    package init(start: Int64, position: Int64) {
        self.start = start
        self.position = position
    }
}

/// Selects which of a slot's two counters can be trusted.
package enum JournalTrust: Sendable, Hashable, CaseIterable {
    /// The bytes passed to the kernel: its page cache outlives the process.
    case written
    /// Only the bytes on disk: the machine was restarted, or the disk was unmounted.
    case durable

    /// Decides by boot and mount.
    ///
    /// A removable disk that was pulled out lost its cached writes without a restart; it then has another mount ID.
    package init(_ header: JournalHeader, bootID: String, mountID: UInt64) {
        let sameBoot = !bootID.isEmpty && header.bootID == bootID
        self = sameBoot && header.mountID == mountID ? .written : .durable
    }
}
