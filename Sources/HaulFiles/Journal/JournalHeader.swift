package import HaulCore

/// The first block of the journal: it identifies the partial file, the source and the boot.
package struct JournalHeader: Sendable, Hashable {
    /// A random number for each journal; its slots are valid in no other.
    package var nonce: UInt64
    /// The caller's identity of the source, without secrets.
    package var sourceID: String
    /// The size of the complete file, or nil if unknown.
    package var totalBytes: Int64?
    /// The ETag, byte for byte.
    package var etag: String?
    /// The Last-Modified value, byte for byte.
    package var lastModified: String?
    /// The boot of the machine during which it was written; empty if there is no boot identity.
    package var bootID: String
    /// The mount through which it was written.
    package var mountID: UInt64
    /// The identity of the partial file.
    package var partial: InodeIdentity
    /// The origin of the bytes.
    package var provenance = Provenance.oneSource
    /// The source whose validators these are.
    package var describer = JournalDescriber()
    /// True while a sync of the data runs: if the process is killed meanwhile, nobody learns whether it failed.
    package var isSyncing = false

    /// Makes a header.
    package init(
        nonce: UInt64, sourceID: String, totalBytes: Int64?, etag: String?, lastModified: String?, bootID: String,
        mountID: UInt64, partial: InodeIdentity
    ) {
        self.nonce = nonce
        self.sourceID = sourceID
        self.totalBytes = totalBytes
        self.etag = etag
        self.lastModified = lastModified
        self.bootID = bootID
        self.mountID = mountID
        self.partial = partial
    }
}

/// The source that described a partial file, without secrets.
package struct JournalDescriber: Sendable, Hashable {
    /// The identity of the mirror; nil if it was the main source.
    package var mirror: String?
    /// The identity of its URL without the query; nil if unknown.
    package var place: String?

    /// Makes a describer: the main source, unless a mirror is given.
    package init(mirror: String? = nil, place: String? = nil) { (self.mirror, self.place) = (mirror, place) }
}

/// The reason why bytes are not a usable journal.
package enum JournalFault: Error, Sendable, Hashable {
    /// Truncated within the header.
    case cut
    /// Not a journal.
    case foreign
    /// A format version that this version of Haul does not know.
    case version(UInt32)
    /// The header's check value is wrong, or its fields are inconsistent.
    case garbled
}
