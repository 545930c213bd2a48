import Synchronization

/// The position of a segment, shared between the thread that writes it and the engine, which may give its later part to
/// another fetch.
final class SegmentCursor: Sendable {
    private struct Claim {
        var claimed: Int64
        var end: Int64?
    }

    private let claim: Mutex<Claim>
    private let writtenPosition: Atomic<Int64>
    private let writingMicroseconds = Atomic<Int64>(0)

    /// Creates a cursor.
    init(position: Int64, end: Int64?) {
        claim = Mutex(Claim(claimed: position, end: end))
        writtenPosition = Atomic(position)
    }

    /// The offset up to which bytes are in the file.
    var written: Int64 { writtenPosition.load(ordering: .acquiring) }

    /// Records that the bytes up to `position` are in the file.
    func didWrite(upTo position: Int64) { writtenPosition.store(position, ordering: .releasing) }

    /// The time spent on writing, estimated from the timed writes.
    var writing: Duration { .microseconds(writingMicroseconds.load(ordering: .relaxed)) }

    /// Adds to the time spent on writing.
    func didSpend(_ time: Duration) {
        writingMicroseconds.wrappingAdd(Int64(time / .microseconds(1)), ordering: .relaxed)
    }

    /// Claims the next `count` bytes for the caller, or fewer at the end; returns the number of claimed bytes.
    ///
    /// Claimed bytes can't be taken over.
    func claim(_ count: Int) -> Int {
        claim.withLock { claim in
            let room = claim.end.map { max(0, $0 - claim.claimed) } ?? .max
            let taken = Int(min(Int64(count), room))
            claim.claimed += Int64(taken)
            return taken
        }
    }

    /// Lowers the end and returns true, unless bytes after it are already claimed.
    func lowerEnd(to offset: Int64) -> Bool {
        claim.withLock { claim in
            guard offset >= claim.claimed, claim.end.map({ offset < $0 }) ?? true else { return false }
            claim.end = offset
            return true
        }
    }

    /// Gives up the bytes from `offset` on and returns true, unless one of them is claimed; then returns false without
    /// a change.
    func yield(from offset: Int64) -> Bool {
        claim.withLock { claim in
            guard offset >= claim.claimed else { return false }
            claim.end = min(claim.end ?? offset, offset)
            return true
        }
    }

    /// Gives up all bytes before `end` that are not claimed.
    ///
    /// - Returns: The start of these bytes; nil, without a change, if all are claimed or the end differs.
    func yieldRest(before end: Int64) -> Int64? {
        claim.withLock { claim in
            guard claim.end == end, claim.claimed < end else { return nil }
            claim.end = claim.claimed
            return claim.claimed
        }
    }

    /// Sets the end once it is known.
    func setEnd(_ end: Int64?) { claim.withLock { $0.end = end } }

    /// The end, and true if everything before it is claimed.
    var end: (offset: Int64?, isReached: Bool) {
        claim.withLock { claim in (claim.end, claim.end.map { claim.claimed >= $0 } ?? false) }
    }
}
