package import HaulCore

/// The value of a timeout: seconds, with at most three decimals, more than zero and at most a day; or a number with a
/// unit, such as `500ms`, `5s`, `2m` or `1h`.
package struct SecondsArgument: Hashable, Sendable {
    /// The time, in the form that the engine expects.
    package let duration: Duration

    /// Reads the value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected range.
    package init(parsing text: String) throws(DownloadError) {
        guard let milliseconds = Self.timesUnit(text), (1...86_400_000).contains(milliseconds) else {
            throw DownloadError(
                .invalidRequest,
                "invalid value \"\(text)\": expected a number of seconds from 0.001 to 86400, such as 30, or 2m")
        }
        duration = .milliseconds(milliseconds)
    }

    private static let units = [("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000)]

    private static func timesUnit(_ text: String) -> Int? {
        guard let (name, size) = units.first(where: { text.hasSuffix($0.0) }) else { return milliseconds(text) }
        let number = String(text.dropLast(name.count))
        guard size >= 1000 else { return WholeNumber.parse(number) }
        return milliseconds(number).map { $0 * (size / 1000) }
    }

    private static func milliseconds(_ text: String) -> Int? {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, let seconds = WholeNumber.parse(whole), seconds <= 86_400 else { return nil }
        guard parts.count == 2 else { return seconds * 1000 }
        let decimals = parts[1]
        guard decimals.count <= 3, let fraction = WholeNumber.parse(decimals) else { return nil }
        let scale = [1000, 100, 10, 1][decimals.count]
        return seconds * 1000 + fraction * scale
    }
}
