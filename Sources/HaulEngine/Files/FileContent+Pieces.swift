import HaulCore
import HaulFiles
import Synchronization

/// Pieces: compared with their digests, and discarded if they do not match.
extension FileContent {
    /// Begins to compare the pieces of a partial file that has just been started or resumed.
    func followPieces(of partial: PartialFile) {
        let checker = spec.pieces.map { PieceChecker(partial, $0) }
        let old = state.withLock { state in
            let old = state.checker
            state.checker = checker
            return old
        }
        old?.cancel()
    }

    /// Returns the indices of the pieces that do not match their digest.
    func checkPieces(_ total: Int64) throws(DownloadError) -> [Int] {
        guard let checker = state.withLock({ $0.checker }) else {
            throw DownloadError(.internal, "there are no pieces to compare")
        }
        // If it was cancelled, the result is no longer used.
        return try fileCall { () throws(FileError) in try checker.finish(total: total) } ?? []
    }

    /// Discards all bytes that are not in this map.
    func revert(_ map: SegmentMap) throws(DownloadError) {
        guard let partial else { throw DownloadError(.internal, "there is no partial file to discard data from") }
        let segments = map.segments.map { ResumedSegment(start: $0.start, position: $0.position) }
        adopt(try partial.revert(to: segments), of: partial)
        advance(to: map.contiguousPrefix)
    }
}
