/// A half-open range of byte offsets in a file: `lowerBound` is in it, `upperBound` is not.
///
/// Offsets are never negative and the bounds are never out of order, so `count` can't overflow or trap.
public struct ByteRange: Hashable, Sendable, Codable {
    /// The offset of the first byte.
    public let lowerBound: Int64
    /// The offset behind the last byte.
    public let upperBound: Int64

    /// Makes a range, or nothing where the bounds are negative or out of order.
    public init?(_ lowerBound: Int64, _ upperBound: Int64) {
        guard lowerBound >= 0, upperBound >= lowerBound else { return nil }
        self.lowerBound = lowerBound
        self.upperBound = upperBound
    }

    /// Makes a range of bounds that are known to be in order; others are clamped to an empty range.
    package init(from lowerBound: Int64, to upperBound: Int64) {
        self.lowerBound = max(0, lowerBound)
        self.upperBound = max(self.lowerBound, upperBound)
    }

    /// How many bytes it holds.
    public var count: Int64 { upperBound - lowerBound }

    /// Whether it holds no byte.
    public var isEmpty: Bool { upperBound == lowerBound }

    /// Whether `offset` is the offset of one of its bytes.
    public func contains(_ offset: Int64) -> Bool { offset >= lowerBound && offset < upperBound }
}

extension ByteRange: CustomStringConvertible {
    /// The value as text.
    public var description: String { "\(lowerBound)..<\(upperBound)" }
}
