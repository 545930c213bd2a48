import ArgumentParser
package import HaulCore
import HaulOptions
package import HaulWire

/// Which downloads a command is about.
package enum Selection: Hashable, Sendable {
    /// Nothing was said.
    case unsaid
    /// These, each with an answer of its own.
    case ids([DownloadID])
    /// Those that pass every condition.
    case filter(FilterMessage)
    /// All.
    case all

    /// The most numbers that a range may hold.
    private static let maxRange: Int64 = 100_000

    /// Those that pass, as the daemon takes it.
    package var filter: FilterMessage {
        var filter = FilterMessage()
        switch self {
        case .unsaid, .all: break
        case .ids(let ids): filter.ids = ids
        case .filter(let reported): filter = reported
        }
        return filter
    }

    /// Reads `12` and `5-9`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package static func ids(parsing text: String) throws(DownloadError) -> [DownloadID] {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { WholeNumber.parse($0) }
        switch (parts.count, parts.first ?? nil, parts.last ?? nil) {
        case (1, let number?, _) where number > 0: return [DownloadID(rawValue: Int64(number))]
        case (2, let first?, let last?) where first > 0 && first <= last && Int64(last - first) < maxRange:
            return (first...last).map { DownloadID(rawValue: Int64($0)) }
        case _:
            throw DownloadError(
                .invalidRequest,
                "invalid download \"\(URLRedaction.quoted(text, width: 40))\": expected a number, as in haul list, or a range such as 5-9"
            )
        }
    }
}
