package import HaulCore

/// The value of `--limit-rate`: bytes per second, at least one.
package struct RateArgument: Hashable, Sendable {
    /// The rate in bytes per second.
    package let bytesPerSecond: Int64

    /// Reads the value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected form.
    package init(parsing text: String) throws(DownloadError) {
        let rate = try ByteCount.parse(text)
        guard rate > 0 else {
            throw DownloadError(
                .invalidRequest, "invalid rate \"\(text)\": expected a rate above 0, such as 500K or 2M")
        }
        bytesPerSecond = rate
    }
}

/// The value of `--min-speed`: a rate and the seconds over which it is averaged, as `10K:30`.
package struct MinimumSpeedArgument: Hashable, Sendable {
    /// The minimum, in the form that the engine expects.
    package let minimum: MinimumSpeed

    /// Reads the value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected form.
    package init(parsing text: String) throws(DownloadError) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw DownloadError(.invalidRequest, "invalid value \"\(text)\": expected RATE:SECONDS, such as 10K:30")
        }
        let rate = try RateArgument(parsing: String(parts[0])).bytesPerSecond
        let duration = try SecondsArgument(parsing: String(parts[1])).duration
        guard duration >= .seconds(1) else {
            throw DownloadError(.invalidRequest, "invalid value \"\(text)\": the time must be 1 s or more")
        }
        minimum = MinimumSpeed(bytesPerSecond: rate, seconds: duration / .seconds(1))
    }
}

extension SecondsArgument {
    /// Reads a time; `unlimited` is nil.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected values.
    package static func limit(parsing text: String) throws(DownloadError) -> Duration? {
        text == "unlimited" ? nil : try SecondsArgument(parsing: text).duration
    }
}
