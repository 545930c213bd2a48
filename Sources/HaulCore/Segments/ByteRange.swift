/// A half-open range of byte offsets in a file, which includes `lowerBound` but not `upperBound`.
///
/// Offsets are never negative and the bounds are always in order, so `count` can't overflow or trap.
public struct ByteRange: Hashable, Sendable, Codable {
    /// The offset of the first byte.
    public let lowerBound: Int64
    /// The offset after the last byte.
    public let upperBound: Int64

    /// Makes a range.
    ///
    /// If the bounds are out of order, or the first one is negative, the range is empty. A download of an empty range
    /// is refused with `invalidRequest`, so such bounds never stand for the whole file.
    public init(_ lowerBound: Int64, _ upperBound: Int64) {
        self.init(from: lowerBound, to: lowerBound < 0 ? 0 : upperBound)
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

extension ByteRange {
    private enum CodingKeys: String, CodingKey { case lowerBound, upperBound }

    /// Decodes a range; bounds that are out of order make an empty one.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            try values.decode(Int64.self, forKey: .lowerBound), try values.decode(Int64.self, forKey: .upperBound))
    }
}

extension ByteRange: CustomStringConvertible {
    /// The range as text, such as `0..<10`.
    public var description: String { "\(lowerBound)..<\(upperBound)" }
}
