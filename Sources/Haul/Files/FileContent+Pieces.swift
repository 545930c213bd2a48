import HaulCore
import HaulFiles
import Synchronization

/// Pieces: compared with their digests, and taken back where they are bad.
extension FileContent {
    /// Begins to compare the pieces of a partial that has just been begun or gone on with.
    func followPieces(of partial: PartialFile) {
        let checker = spec.pieces.map { PieceChecker(partial, $0) }
        let old = state.withLock { state in
            let old = state.checker
            state.checker = checker
            return old
        }
        old?.cancel()
    }

    /// The numbers of the pieces that do not have their digest.
    func checkPieces(_ total: Int64) throws(DownloadError) -> [Int] {
        guard let checker = state.withLock({ $0.checker }) else {
            throw DownloadError(.internal, "there are no pieces to compare")
        }
        // Where it was cancelled, nobody asks for the answer any more.
        return try fileCall { () throws(FileError) in try checker.finish(total: total) } ?? []
    }

    /// Has only the bytes of this map count.
    func revert(_ map: SegmentMap) throws(DownloadError) {
        guard let partial else { throw DownloadError(.internal, "there is no partial file to discard data from") }
        let segments = map.segments.map { ResumedSegment(start: $0.start, position: $0.position) }
        adopt(try partial.revert(to: segments), of: partial)
        advance(to: map.contiguousPrefix)
    }
}
