package import HaulCore

/// What an earlier session left, as far as it can be believed.
package struct PartialState: Sendable, Hashable {
    /// The size of the finished file, or nil where it was not known.
    package var totalBytes: Int64?
    /// The ETag of the version that the bytes are of.
    package var etag: String?
    /// The Last-Modified line of the version that the bytes are of.
    package var lastModified: String?
    /// Whether there was a validator that was too long to be kept.
    package var omitsValidators: Bool
    /// The segments, in order: the first starts at 0, each ends where the next one starts, the last at the end of the
    /// file.
    package var segments: [ResumedSegment]
    /// How the bytes came together: nobody knows the validators of further sources.
    package var provenance = Provenance.oneSource
    /// Whether another source than the present one brought the bytes.
    package var isOfOtherSource = false

    /// Makes a state.
    package init(
        totalBytes: Int64?, etag: String?, lastModified: String?, omitsValidators: Bool = false,
        segments: [ResumedSegment]
    ) {
        self.totalBytes = totalBytes
        self.etag = etag
        self.lastModified = lastModified
        self.omitsValidators = omitsValidators
        self.segments = segments
    }

    /// How many bytes are there.
    package var fileBytes: Int64 { segments.reduce(0) { $0 + ($1.position - $1.start) } }
}

/// A segment of an earlier session.
package struct ResumedSegment: Sendable, Hashable {
    /// The offset of its first byte.
    package var start: Int64
    /// The offset up to which its bytes are there.
    package var position: Int64

    /// Makes a segment.
    package init(start: Int64, position: Int64) {
        self.start = start
        self.position = position
    }
}

/// Which of a slot's two counters may be believed.
package enum JournalTrust: Sendable, Hashable, CaseIterable {
    /// What was handed to the kernel: its page cache outlives the process that wrote.
    case written
    /// Only what is on the medium: the machine, or the disk, was away since.
    case durable

    /// Decides by the boot and the mount.
    ///
    /// A stick that was pulled out lost its cache without a restart; its mount is another one then.
    package init(_ header: JournalHeader, bootID: String, mountID: UInt64) {
        let sameBoot = !bootID.isEmpty && header.bootID == bootID
        self = sameBoot && header.mountID == mountID ? .written : .durable
    }
}
