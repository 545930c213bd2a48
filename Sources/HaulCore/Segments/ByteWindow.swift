/// The bytes of a stream that are under way between the connections, which write them in any order, and one receiver, which gets them in
/// order.
///
///     0 ... released ..... handedOut ..... front .. gaps and islands .. released + size
///           done with      the receiver's  ready                         the farthest that may be written
///
/// Only numbers: the bytes themselves are elsewhere. Pure.
package struct ByteWindow: Hashable, Sendable {
    /// How far ahead of the receiver bytes may be written.
    package let size: Int64
    /// The receiver is done with everything before.
    package private(set) var released: Int64 = 0
    /// Everything before was given to the receiver.
    package private(set) var handedOut: Int64 = 0
    /// Everything before was written.
    package private(set) var contiguousPrefix: Int64 = 0
    /// What was written beyond the front: in order, none touching another.
    private var islands: [ByteRange] = []

    /// Makes an empty window.
    package init(size: Int64) { self.size = max(1, size) }

    /// How many bytes may be written at an offset now.
    package func room(at offset: Int64) -> Int64 {
        let (limit, overflow) = released.addingReportingOverflow(size)
        return max(0, (overflow ? .max : limit) - max(0, offset))
    }

    /// Records that bytes were written.
    ///
    /// What is before the front, or was written already, changes nothing.
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

    /// Gives the next bytes to the receiver, which is done with those before.
    ///
    /// - Returns: at most so many bytes, or nil where none are ready.
    package mutating func handOut(atMost count: Int64) -> ByteRange? {
        released = handedOut
        guard contiguousPrefix > handedOut, count > 0 else { return nil }
        let range = ByteRange(
            from: handedOut, to: min(contiguousPrefix, handedOut + min(count, contiguousPrefix - handedOut)))
        handedOut = range.upperBound
        return range
    }
}
