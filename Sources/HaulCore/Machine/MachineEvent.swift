/// What the download's machine hears.
package enum MachineEvent: Hashable, Sendable {
    /// Go.
    case begin
    /// The outcome of `locate`.
    case located(Located)
    /// A response's head was decided upon.
    case head(fetch: Int, ResponseDecision)
    /// The outcome of `prepare`.
    case prepared(Located)
    /// The outcome of `resumeContent` and `revert`: the partial is open and its journal stands.
    case reopened
    /// Time has passed; where the running fetches are.
    case tick([FetchSample])
    /// The outcome of `takeOver`.
    case takenOver(fetch: Int, segment: Int, at: Int64, granted: Bool)
    /// A fetch is over: its last write has returned, nothing follows from it.
    case ended(fetch: Int, position: Int64, FetchEnd)
    /// The outcome of `checkpoint`.
    case checkpointed
    /// The receiver of a stream is done with all bytes before this offset.
    case consumed(Int64)
    /// The outcome of `verify`: the digest, or nil where none was asked for.
    case verified(hex: String?)
    /// The outcome of `checkPieces`: the numbers of those that do not have their digest, in order.
    case piecesChecked(bad: [Int])
    /// The outcome of `publish`.
    case published(path: String)
    /// The outcome of `save` and `discard`.
    case closed
    /// A file operation failed.
    case fileFailed(DownloadError)
    /// The outcome of `describe`: never later than the end of the download, and perhaps not at all.
    case described(FileDescription)
    /// What the host of that number grants now: see `DownloadMachine.hosts`.
    case host(Int, ConnectionQuota)
    /// The caller wants it to stop and keep what is there.
    case stop
}

/// What stands at the destination.
package enum Located: Hashable, Sendable {
    /// The place is not known yet: the server's answer names the file.
    case unnamed
    /// A file is there, changed last at this time (seconds since 1970), that is kept if it is the server's.
    case present(modified: Int64)
    /// Nothing to go on from. After `prepare`, the partial is open and empty.
    case fresh(path: String)
    /// A partial of an earlier session that can be gone on with.
    case resumable(path: String, KnownVersion, [Piece])
    /// A partial of another source, which the new one may prove to have the same file as.
    case provable(path: String, KnownVersion, [Piece])
    /// A file of another program at `file`, which the source may prove to be a part of its own.
    case adoptable(path: String, file: String, KnownVersion, [Piece])
    /// The file is there already: nothing to do. Without a checksum, `isSame` says whether size and date were compared, or nothing at all.
    case kept(path: String, size: Int64, isSame: Bool)
    /// An earlier session has published it already, and was ended before it could say so.
    case published(path: String, size: Int64)

    /// A piece of a partial file.
    package struct Piece: Hashable, Sendable {
        /// The offset of its first byte.
        package var start: Int64
        /// The offset behind its last good byte.
        package var position: Int64

        /// Makes a piece.
        package init(start: Int64, position: Int64) {
            self.start = start
            self.position = position
        }
    }
}
