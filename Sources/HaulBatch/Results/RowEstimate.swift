/// An estimate of the number of a shard's rows, which becomes exact when the manifest has been read.
package struct RowEstimate: Hashable, Sendable {
    /// The rows of the shard that were read so far.
    package private(set) var rows: Int64 = 0
    /// True once the manifest has been read to its end.
    package private(set) var isExact = false
    /// The part of the manifest that was read, 0 to 1; nil if its size is unknown.
    private var fraction: Double?

    /// Starts with nothing read.
    package init() {}

    /// Records what was read.
    ///
    /// - Parameters:
    ///   - more: Further rows of the shard.
    ///   - bytes: All bytes of the manifest so far.
    ///   - size: The size of the manifest; nil if it is unknown.
    package mutating func read(_ more: Int64, at bytes: Int64, of size: Int64?) {
        rows += more
        fraction = size.flatMap { $0 > 0 ? min(1, Double(bytes) / Double($0)) : nil }
    }

    /// Records the end of the manifest.
    package mutating func end() { isExact = true }

    /// The number of all rows of the shard; nil if it can't be estimated.
    package var total: Int64? {
        if isExact { return rows }
        guard let fraction, fraction > 0, rows > 0 else { return nil }
        return max(rows, Int64((Double(rows) / fraction).rounded()))
    }
}
