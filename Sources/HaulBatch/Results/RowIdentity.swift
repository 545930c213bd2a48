import HaulCore
import HaulDigest

/// The identity of a row: its id, or its number and URL in a manifest without ids.
package enum RowIdentity: Hashable, Sendable {
    /// The id in the id column.
    case id(String)
    /// The number of the row; the URL shows if the manifest has changed.
    case number(Int64, url: String)

    /// The first 128 bits of a SHA-256, so that millions of rows can be known in little memory.
    package var fingerprint: UInt128 {
        var digest = StreamingDigest(.sha256)
        switch self {
        case .id(let id): digest.update("i" + id)
        case .number(let number, let url): digest.update("n\(number) \(url)")
        }
        return digest.bytes.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
    }

    /// The id as it is shown: the number of the row if there is no id.
    package var shown: String {
        switch self {
        case .id(let id): id
        case .number(let number, _): String(number)
        }
    }
}
