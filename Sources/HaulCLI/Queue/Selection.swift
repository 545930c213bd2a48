import ArgumentParser
package import HaulCore
import HaulOptions
package import HaulWire

/// The downloads that a command applies to.
package enum Selection: Hashable, Sendable {
    /// No downloads were named.
    case unsaid
    /// Single downloads, each of which is processed and reported on its own.
    case ids([DownloadID])
    /// All downloads that match every condition.
    case filter(FilterMessage)
    /// All downloads.
    case all

    /// The maximum size of a range of numbers.
    private static let maxRange: Int64 = 100_000

    /// The filter that the daemon uses.
    package var filter: FilterMessage {
        var filter = FilterMessage()
        switch self {
        case .unsaid, .all: break
        case .ids(let ids): filter.ids = ids
        case .filter(let reported): filter = reported
        }
        return filter
    }

    /// Returns numbers as `ids(parsing:)` reads them, such as `4, 7-9`.
    static func text(of ids: [DownloadID]) -> String {
        var ranges: [ClosedRange<Int64>] = []
        for id in ids.map(\.rawValue) {
            if let last = ranges.last, last.upperBound + 1 == id {
                ranges[ranges.count - 1] = last.lowerBound...id
            } else {
                ranges.append(id...id)
            }
        }
        return ranges.map { $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)" }
            .joined(separator: ", ")
    }

    /// Reads numbers such as `12` and `5-9`.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package static func ids(parsing text: String) throws(DownloadError) -> [DownloadID] {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { WholeNumber.parse($0) }
        switch (parts.count, parts.first ?? nil, parts.last ?? nil) {
        case (1, let number?, _) where number > 0: return [DownloadID(rawValue: Int64(number))]
        case (2, let first?, let last?) where first > 0 && first <= last && Int64(last - first) < maxRange:
            return (first...last).map { DownloadID(rawValue: Int64($0)) }
        case _ where text == "all":
            throw DownloadError(.invalidRequest, "\"all\" is not a number: to select all downloads, write --all")
        case _:
            throw DownloadError(
                .invalidRequest,
                "invalid download \"\(URLRedaction.quoted(text, width: 40))\": expected a number, as in haul list, or a range such as 5-9"
            )
        }
    }
}
