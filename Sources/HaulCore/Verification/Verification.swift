/// By what a file was verified, or why it could not be.
public enum Verification: Hashable, Sendable, Codable {
    /// Its bytes have this checksum, which comes from there.
    case checksum(Checksum, ChecksumOrigin)
    /// Each of its pieces has its digest of this kind.
    case pieces(Checksum.Algorithm)
    /// No checksum was known; its size and its date are those that the server tells.
    case sizeAndDate
    /// No checksum was known; its size is the one that the server told.
    case size
    /// Nothing was known, not even its size.
    case nothing

    /// A file that has the checksum that the caller gave; without one only its size was known.
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

    /// Its name for programs: `checksum`, `pieces`, `sizeAndDate`, `size` or `nothing`.
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
    /// A few words for people: `verified by sha-256 (given)`, `no checksum available`.
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
