package import HaulCore

/// The value of `--range`: the first and last byte, inclusive as in HTTP; without the last byte, the rest of the file.
package struct RangeArgument: Hashable, Sendable {
    /// The range, in the form that the engine expects.
    package let range: ByteRange

    /// Reads the value.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the expected form.
    package init(parsing text: String) throws(DownloadError) {
        guard let range = Self.range(text) else {
            throw DownloadError(
                .invalidRequest,
                "invalid range \"\(text)\": expected the first and the last byte, such as 0-999, or 1000- to the end")
        }
        self.range = range
    }

    private static func range(_ text: String) -> ByteRange? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let first = WholeNumber.parse(parts[0]) else { return nil }
        guard !parts[1].isEmpty else { return ByteRange(Int64(first), .max) }
        guard let last = WholeNumber.parse(parts[1]), last >= first, last < .max else { return nil }
        return ByteRange(Int64(first), Int64(last) + 1)
    }
}
