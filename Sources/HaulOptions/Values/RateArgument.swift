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
