package import HaulCore
import Synchronization

extension PartialFile {
    /// Reverts to fewer bytes: only those of these segments count from now on.
    ///
    /// The others may be written again. The new journal replaces the old one atomically. Earlier slots are then
    /// invalid.
    ///
    /// - Parameter segments: The segments to continue with; a position beyond what was recorded is reduced.
    /// - Returns: A slot for each segment.
    /// - Throws: `DownloadError`: `noSpace`, `fileFailed`.
    package func revert(to segments: [ResumedSegment]) throws(DownloadError) -> [SegmentSlot] {
        forgetSurplus()
        // The kept bytes must be durable, so that the new journal may say so.
        try publicly { () throws(FileError) in try checkpoint() }
        let (old, header, total) = state.withLock { ($0.slots, $0.header, $0.totalBytes) }
        let known = old.map { ResumedSegment(start: $0.start, position: $0.written) }.sorted { $0.start < $1.start }
        let slots = segments.map { segment in
            let there = min(segment.position, Self.reach(from: segment.start, in: known))
            let written = max(segment.start, there)
            return JournalSlot(start: segment.start, written: written, durable: written)
        }
        guard let header else {
            return state.withLock { state in
                state.slots = slots.enumerated().map { index, slot in
                    SegmentSlot(slot, index: index, nonce: 0, data: data, journal: nil)
                }
                return state.slots
            }
        }
        let validators = (header.etag, header.lastModified, header.provenance, header.describer)
        return try adopt(slots, total: total, validators, synced: true)
    }
}
