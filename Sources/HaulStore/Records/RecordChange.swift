package import HaulCore

/// A change of one record.
package struct RecordChange: Sendable, Hashable {
    /// The record.
    package let id: DownloadID
    /// The kind of change.
    package let kind: Kind

    /// Creates a change.
    package init(_ id: DownloadID, _ kind: Kind) {
        self.id = id
        self.kind = kind
    }

    /// The kinds of changes; everything else in the record remains unchanged.
    package enum Kind: Sendable, Hashable {
        /// Its state, at a time in milliseconds since 1970.
        ///
        /// `finished` includes the path and the size.
        case state(StoredStatus, time: Int64)
        /// The path of its file, its size, and the identity of the partial file.
        case targetPath(String?, totalBytes: Int64?, fileID: FileIdentity?)
        /// The number of bytes that exist.
        case done(Int64, totalBytes: Int64?)
        /// The spec: another source, priority, limit or label. The key remains the same.
        case spec(DownloadSpec)
        /// The sources that it had before; see `StoredRecord.replacedSources`.
        case replacedSources([String])
        /// True if work is in progress whose terminal event is still to be emitted.
        case hasPendingTerminalEvent(Bool)
        /// The record is going to be removed together with these files, by the next launch if this process dies first.
        case removal(RemovedFiles)
        /// The record is removed; its id is never reused.
        case remove
    }
}
