/// The bytes of a stream in transit between the connections, which write in any order, and the receiver, which reads in
/// order.
///
///     0 ... released ..... handedOut ..... front .. gaps and islands .. released + size
///           consumed       the receiver's  ready                         the limit for writes
///
/// Contains only offsets; the bytes are elsewhere.
package struct ByteWindow: Hashable, Sendable {
    /// The maximum distance of writes from the receiver, in bytes.
    package let size: Int64
    /// The receiver has consumed everything before this offset.
    package private(set) var released: Int64 = 0
    /// Everything before this offset was given to the receiver.
    package private(set) var handedOut: Int64 = 0
    /// Everything before this offset was written.
    package private(set) var contiguousPrefix: Int64 = 0
    /// The ranges written beyond the front: in order, not touching each other.
    private var islands: [ByteRange] = []

    /// Makes an empty window.
    package init(size: Int64) { self.size = max(1, size) }

    /// Returns the number of bytes that may be written at an offset now.
    package func room(at offset: Int64) -> Int64 {
        let (limit, overflow) = released.addingReportingOverflow(size)
        return max(0, (overflow ? .max : limit) - max(0, offset))
    }

    /// Records that bytes were written.
    ///
    /// Bytes before the front, or already written, change nothing.
    package mutating func didWrite(_ range: ByteRange) {
        guard range.upperBound > contiguousPrefix, !range.isEmpty else { return }
        var (start, end) = (range.lowerBound, range.upperBound)
        islands.removeAll { island in
            guard island.lowerBound <= end, island.upperBound >= start else { return false }
            (start, end) = (min(start, island.lowerBound), max(end, island.upperBound))
            return true
        }
        if start <= contiguousPrefix {
            contiguousPrefix = end
        } else {
            let index = islands.firstIndex { $0.lowerBound > start } ?? islands.endIndex
            islands.insert(ByteRange(from: start, to: end), at: index)
        }
    }

    /// Returns true if these bytes were written, and are still in memory: the receiver has not consumed any of them.
    package func holds(_ range: ByteRange) -> Bool {
        guard range.lowerBound >= released, !range.isEmpty else { return false }
        return range.upperBound <= contiguousPrefix
            || islands.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
    }

    /// Gives the next bytes to the receiver, which has consumed those before.
    ///
    /// - Returns: A range of at most `count` bytes, or nil if none are ready.
    package mutating func handOut(atMost count: Int64) -> ByteRange? {
        released = handedOut
        guard contiguousPrefix > handedOut, count > 0 else { return nil }
        let range = ByteRange(
            from: handedOut, to: min(contiguousPrefix, handedOut + min(count, contiguousPrefix - handedOut)))
        handedOut = range.upperBound
        return range
    }
}
