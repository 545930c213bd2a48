package import HaulCore

/// The journal's first block: which partial, which source, which boot.
package struct JournalHeader: Sendable, Hashable {
    /// A number drawn for each journal that is written; its slots fit no other.
    package var nonce: UInt64
    /// The caller's identity of the source, without secrets.
    package var sourceID: String
    /// The size of the finished file, or nil where it is not known.
    package var totalBytes: Int64?
    /// The ETag, byte for byte.
    package var etag: String?
    /// The Last-Modified line, byte for byte.
    package var lastModified: String?
    /// The boot of the machine during which it was written; empty where there is no such thing.
    package var bootID: String
    /// The mount through which it was written.
    package var mountID: UInt64
    /// The partial file that it speaks of.
    package var partial: InodeIdentity
    /// Whether a validator had no room and was left out.
    package var omitsValidators = false
    /// How the bytes came together: the validators are those of the main source.
    package var provenance = Provenance.oneSource

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

/// Why bytes are no journal that may be used.
package enum JournalFault: Error, Sendable, Hashable {
    /// Cut within the header.
    case cut
    /// Something else than a journal.
    case foreign
    /// Of a format that this version of Haul does not know.
    case version(UInt32)
    /// Its header's check value fails, or its fields contradict each other.
    case garbled
}
