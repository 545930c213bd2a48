/// The proof by which a file was verified, or the reason why it could not be; later versions may add some.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum Verification: Hashable, Sendable, Codable {
    /// The bytes have this checksum, with this origin.
    case checksum(Checksum, ChecksumOrigin)
    /// Each piece has its digest of this algorithm.
    case pieces(Checksum.Algorithm)
    /// No checksum was available; size and date are those that the server reports.
    case sizeAndDate
    /// No checksum was available; the size is the one that the server reported.
    case size
    /// Nothing was known, not even the size.
    case nothing

    /// Makes the result for a file that has the given checksum; if nil, only its size was known.
    public init(given checksum: Checksum?) {
        self = checksum.map { .checksum($0, .given) } ?? .size
    }

    /// The checksum that was verified, or nil.
    public var checksum: Checksum? {
        switch self {
        case .checksum(let checksum, _): checksum
        case .pieces, .sizeAndDate, .size, .nothing: nil
        }
    }

    /// The name for programs: `checksum`, `pieces`, `sizeAndDate`, `size` or `nothing`.
    public var name: String {
        switch self {
        case .checksum: "checksum"
        case .pieces: "pieces"
        case .sizeAndDate: "sizeAndDate"
        case .size: "size"
        case .nothing: "nothing"
        }
    }
}

extension Verification: CustomStringConvertible {
    /// A short phrase for people: `verified by sha-256 (given)`, `no checksum available`.
    public var description: String {
        switch self {
        case .checksum(let checksum, let origin): "verified by \(checksum.algorithm.label) (\(origin))"
        case .pieces(let algorithm): "verified by \(algorithm.label) of its pieces"
        case .sizeAndDate: "no checksum available, same size and date"
        case .size: "no checksum available"
        case .nothing: "no checksum or size available"
        }
    }
}
