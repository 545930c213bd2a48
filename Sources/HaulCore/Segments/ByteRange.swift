/// A half-open range of byte offsets in a file, which includes `lowerBound` but not `upperBound`.
///
/// Offsets are never negative and the bounds are always in order, so `count` can't overflow or trap.
public struct ByteRange: Hashable, Sendable, Codable {
    /// The offset of the first byte.
    public let lowerBound: Int64
    /// The offset after the last byte.
    public let upperBound: Int64

    /// Makes a range, or nil if the bounds are negative or out of order.
    public init?(_ lowerBound: Int64, _ upperBound: Int64) {
        guard lowerBound >= 0, upperBound >= lowerBound else { return nil }
        self.lowerBound = lowerBound
        self.upperBound = upperBound
    }

    /// Makes a range from bounds known to be in order; other bounds are clamped to an empty range.
    package init(from lowerBound: Int64, to upperBound: Int64) {
        self.lowerBound = max(0, lowerBound)
        self.upperBound = max(self.lowerBound, upperBound)
    }

    /// The number of bytes.
    public var count: Int64 { upperBound - lowerBound }

    /// True if the range has no bytes.
    public var isEmpty: Bool { upperBound == lowerBound }

    /// Returns true if `offset` is in the range.
    public func contains(_ offset: Int64) -> Bool { offset >= lowerBound && offset < upperBound }
}

extension ByteRange: CustomStringConvertible {
    /// The range as text, such as `0..<10`.
    public var description: String { "\(lowerBound)..<\(upperBound)" }
}
