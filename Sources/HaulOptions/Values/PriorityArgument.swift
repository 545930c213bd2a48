package import HaulCore

/// The value of `--priority`.
package enum PriorityArgument {
    /// Parses it.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package static func parse(_ text: String) throws(DownloadError) -> Int {
        let isNegative = text.hasPrefix("-")
        guard let number = WholeNumber.parse(isNegative ? text.dropFirst() : text[...]), number <= 1000 else {
            throw DownloadError(
                .invalidRequest,
                "invalid value \"\(URLRedaction.quoted(text, width: 40))\": expected a number from -1000 to 1000")
        }
        return isNegative ? -number : number
    }
}
