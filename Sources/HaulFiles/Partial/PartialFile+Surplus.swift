package import HaulCore
import Synchronization

/// The comparison of bytes that two responses have delivered: see `SurplusBytes`.
extension PartialFile {
    /// Keeps the first bytes beyond the end of a segment, to compare them when the file is complete.
    package func keepSurplus(_ bytes: RawSpan, at offset: Int64) {
        state.withLock { $0.surplus.keep(bytes, at: offset) }
    }

    /// Returns true if the complete file has the bytes that responses had beyond the end of their segments.
    package func agreesWithSurplus(total: Int64) throws(FileError) -> Bool {
        for entry in state.withLock({ $0.surplus.entries }) where entry.offset < total {
            let count = Int(min(Int64(entry.bytes.count), total - entry.offset))
            // Safe: a UInt8 has no padding.
            let bytes = unsafe entry.bytes.span.bytes
            guard try holds(bytes.extracting(first: count), at: entry.offset) else { return false }
        }
        return true
    }

    /// Records in the journal, durably, that only a checksum can verify the bytes, because responses disagreed, or
    /// because a source that a server named is about to deliver some.
    ///
    /// Must not overlap with a checkpoint, which writes the header's check value.
    ///
    /// The header is written in place, so a full disk does not prevent it. If a kill cuts the write short, the journal's
    /// check value is wrong, and the bytes are not used either.
    package func distrust() throws(DownloadError) {
        let (header, journal) = state.withLock { ($0.header, $0.journal) }
        guard var header, let journal else { return }
        header.provenance = .unproven
        state.withLock { [header] in $0.header = header }
        try publicly { () throws(FileError) in
            let bytes = header.encoded()
            // Safe: a UInt8 has no padding.
            try system.write(journal, unsafe bytes.span.bytes, at: 0)
            try system.syncData(journal)
        }
    }

    /// Forgets these bytes, because the file is begun again or its segments change.
    func forgetSurplus() { state.withLock { $0.surplus = SurplusBytes() } }
}
