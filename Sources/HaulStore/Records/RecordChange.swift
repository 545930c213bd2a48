package import HaulCore

/// One change of one record.
package struct RecordChange: Sendable, Hashable {
    /// The record.
    package let id: DownloadID
    /// What changes.
    package let kind: Kind

    /// Makes a change.
    package init(_ id: DownloadID, _ kind: Kind) {
        self.id = id
        self.kind = kind
    }

    /// What can change; everything else of the record stays.
    package enum Kind: Sendable, Hashable {
        /// Its state, at a time in milliseconds since 1970.
        ///
        /// `finished` brings the path and the size with it.
        case state(StoredStatus, time: Int64)
        /// Where its file will be, how large it is and which file the partial is.
        case targetPath(String?, totalBytes: Int64?, fileID: FileIdentity?)
        /// How many bytes are there.
        case done(Int64, totalBytes: Int64?)
        /// What is asked for: another source, priority, limit, label. Its key stays what it was.
        case spec(DownloadSpec)
        /// The sources that it had before; see `StoredRecord.replacedSources`.
        case replacedSources([String])
        /// Whether something is under way whose end is still to be told.
        case hasPendingTerminalEvent(Bool)
        /// The record goes; its identity is never given again.
        case remove
    }
}
