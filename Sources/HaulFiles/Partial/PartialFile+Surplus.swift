package import HaulCore
import Synchronization

/// Bytes beyond the end of a segment, which a response had although another one has delivered them.
///
/// If the two differ, one of the responses was wrong: a proxy that lost a part of a response, for example, may send the
/// rest of it too early.
extension PartialFile {
    /// The first of these bytes, and their offset.
    struct Surplus: Sendable {
        let offset: Int64
        let bytes: [UInt8]
    }

    /// The number of bytes that are kept of each response.
    package static let surplusBytes = 512
    /// The number of responses of which bytes are kept: 2 MiB at most.
    package static let maxSurplus = 4096

    /// Keeps the first bytes beyond the end of a segment, to compare them when the file is complete.
    package func keepSurplus(_ bytes: RawSpan, at offset: Int64) {
        guard bytes.byteCount > 0 else { return }
        // The span is valid for the whole call and the array copies it.
        let first = unsafe bytes.withUnsafeBytes { unsafe Array($0.prefix(Self.surplusBytes)) }
        state.withLock { state in
            if state.surplus.count < Self.maxSurplus { state.surplus.append(Surplus(offset: offset, bytes: first)) }
        }
    }

    /// Returns true if the complete file has the bytes that responses had beyond the end of their segments.
    package func agreesWithSurplus(total: Int64) throws(FileError) -> Bool {
        for surplus in state.withLock({ $0.surplus }) where surplus.offset < total {
            let count = Int(min(Int64(surplus.bytes.count), total - surplus.offset))
            // Safe: a UInt8 has no padding.
            let bytes = unsafe surplus.bytes.span.bytes
            guard try holds(bytes.extracting(first: count), at: surplus.offset) else { return false }
        }
        return true
    }

    /// Records in the journal that only a checksum can show whether the bytes are right, because responses disagreed.
    package func distrust() throws(DownloadError) {
        let (header, slots, total) = state.withLock { ($0.header, $0.slots, $0.totalBytes) }
        guard let header else { return }
        let kept = slots.map { JournalSlot(start: $0.start, written: $0.written, durable: $0.durable) }
        _ = try adopt(kept, total: total, (header.etag, header.lastModified, .unproven), synced: true)
        try publicly { () throws(FileError) in try system.syncFolder(names.partialFolder) }
    }

    /// Forgets these bytes, because the file is begun again or its segments change.
    func forgetSurplus() { state.withLock { $0.surplus = [] } }
}
