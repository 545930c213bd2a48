package import HaulCore

/// The value of `--connections`: a number from 1 to 64, or `auto`.
package struct ConnectionsArgument: Hashable, Sendable {
    /// The largest number accepted.
    package static let largest = 64

    /// The limit for the download.
    package let limit: ConnectionLimit

    /// Reads the value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected values.
    package init(parsing text: String) throws(DownloadError) {
        if text == "auto" {
            limit = .standard
            return
        }
        guard let count = WholeNumber.parse(text), (1...Self.largest).contains(count) else {
            throw DownloadError(
                .invalidRequest, "invalid value \"\(text)\": expected a number from 1 to \(Self.largest), or auto"
            )
        }
        limit = .fixed(count)
    }
}
