import Synchronization

/// Where a segment stands, shared between the thread that writes it and the engine that may take its later part away.
final class SegmentCursor: Sendable {
    private struct Claim {
        var claimed: Int64
        var end: Int64?
    }

    private let claim: Mutex<Claim>
    private let writtenPosition: Atomic<Int64>
    private let writingMicroseconds = Atomic<Int64>(0)

    /// Makes a cursor.
    init(position: Int64, end: Int64?) {
        claim = Mutex(Claim(claimed: position, end: end))
        writtenPosition = Atomic(position)
    }

    /// Up to where the bytes are in the file.
    var written: Int64 { writtenPosition.load(ordering: .acquiring) }

    /// The bytes up to `position` are in the file.
    func didWrite(upTo position: Int64) { writtenPosition.store(position, ordering: .releasing) }

    /// How long the writes took, as far as they were timed and in proportion.
    var writing: Duration { .microseconds(writingMicroseconds.load(ordering: .relaxed)) }

    /// So much time went into writing.
    func didSpend(_ time: Duration) {
        writingMicroseconds.wrappingAdd(Int64(time / .microseconds(1)), ordering: .relaxed)
    }

    /// Claims the next `count` bytes for the caller, or as many as lie before the end.
    ///
    /// What is claimed can't be taken over.
    func claim(_ count: Int) -> Int {
        claim.withLock { claim in
            let room = claim.end.map { max(0, $0 - claim.claimed) } ?? .max
            let taken = Int(min(Int64(count), room))
            claim.claimed += Int64(taken)
            return taken
        }
    }

    /// Lowers the end, unless bytes behind it are claimed already.
    func lowerEnd(to offset: Int64) -> Bool {
        claim.withLock { claim in
            guard offset >= claim.claimed, claim.end.map({ offset < $0 }) ?? true else { return false }
            claim.end = offset
            return true
        }
    }

    /// Gives up what lies behind `offset`, unless a byte of it is claimed: then nothing changes, and it is false.
    func yield(from offset: Int64) -> Bool {
        claim.withLock { claim in
            guard offset >= claim.claimed else { return false }
            claim.end = min(claim.end ?? offset, offset)
            return true
        }
    }

    /// Gives up all that is not claimed before `end`.
    ///
    /// - Returns: from where on; nil, and nothing changes, where all is claimed or the end is another one.
    func yieldRest(before end: Int64) -> Int64? {
        claim.withLock { claim in
            guard claim.end == end, claim.claimed < end else { return nil }
            claim.end = claim.claimed
            return claim.claimed
        }
    }

    /// Sets the end once it is known.
    func setEnd(_ end: Int64?) { claim.withLock { $0.end = end } }

    /// The end, and whether everything before it is claimed.
    var end: (offset: Int64?, isReached: Bool) {
        claim.withLock { claim in (claim.end, claim.end.map { claim.claimed >= $0 } ?? false) }
    }
}
