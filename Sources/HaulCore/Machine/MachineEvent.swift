/// An event that the download's machine handles.
package enum MachineEvent: Hashable, Sendable {
    /// Starts the download.
    case begin
    /// The outcome of `locate`.
    case located(Located)
    /// The decision about a response's head.
    case head(fetch: Int, ResponseDecision)
    /// The outcome of `prepare`.
    case prepared(Located)
    /// The outcome of `resume` and `revert`: the partial file is open and its journal is written.
    case reopened
    /// Time has passed; the positions of the running fetches.
    case tick([FetchSample])
    /// The outcome of `takeOver`.
    case takenOver(fetch: Int, segment: Int, at: Int64, granted: Bool)
    /// A fetch has ended: its last write has returned, and no event of it follows.
    case ended(fetch: Int, position: Int64, FetchEnd)
    /// The outcome of `checkpoint`.
    case checkpointed
    /// The outcome of `distrust`.
    case distrusted
    /// The receiver of a stream has consumed all bytes before this offset.
    case consumed(Int64)
    /// The outcome of `verify`: the digest, or nil if none was wanted; and true if bytes that a response had beyond the
    /// end of its segment differ from those of the response that delivered them.
    case verified(hex: String?, joinsDiffer: Bool = false)
    /// The outcome of `checkPieces`: the numbers of the pieces that do not match their digests, in order.
    case piecesChecked(bad: [Int])
    /// The outcome of `publish`.
    case published(path: String)
    /// The outcome of `save` and `discard`.
    case closed
    /// A file operation failed.
    case fileFailed(DownloadError)
    /// The outcome of `describe`, never later than the end of the download; nil: there is no usable document. It is a
    /// failure if the document could not be read, but may be later.
    case described(Result<FileDescription?, DownloadError>)
    /// The quota that the host with this number grants now: see `DownloadMachine.hosts`.
    case host(Int, ConnectionQuota)
    /// The caller stops the download and keeps the partial file.
    case stop
}

/// The state of the destination.
package enum Located: Hashable, Sendable {
    /// The path is not known yet: the server's response names the file.
    case unnamed
    /// A file exists, last modified at this time (seconds since 1970). It is kept if it is the server's.
    case present(modified: Int64)
    /// There is nothing to resume. After `prepare`, the partial file is open and empty.
    case fresh(path: String)
    /// A partial file of an earlier session that can be resumed.
    case resumable(path: String, KnownVersion, [Piece])
    /// A partial file of another source. The new source may prove that it has the same file.
    case provable(path: String, KnownVersion, [Piece])
    /// A file of another program at `file`. The source may prove that it is a part of its own.
    case adoptable(path: String, file: String, KnownVersion, [Piece])
    /// The file exists and needs no download. Without a checksum, `isSame` is true if size and date were compared, and
    /// false if nothing was.
    case kept(path: String, size: Int64, isSame: Bool)
    /// An earlier session has published it already, and ended before it could report that.
    case published(path: String, size: Int64)

    /// A piece of a partial file.
    package struct Piece: Hashable, Sendable {
        /// The offset of its first byte.
        package var start: Int64
        /// The offset after its last valid byte.
        package var position: Int64

        /// Creates a piece.
        package init(start: Int64, position: Int64) {
            self.start = start
            self.position = position
        }
    }
}
