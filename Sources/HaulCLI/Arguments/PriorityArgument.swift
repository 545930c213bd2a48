import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// The value of `--priority`.
enum PriorityArgument {
    /// Reads it.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    static func parse(_ text: String) throws(DownloadError) -> Int {
        let isNegative = text.hasPrefix("-")
        guard let number = WholeNumber.parse(isNegative ? text.dropFirst() : text[...]), number <= 1000 else {
            throw DownloadError(
                .invalidRequest,
                "invalid value \"\(URLRedaction.quoted(text, width: 40))\": expected a number from -1000 to 1000")
        }
        return isNegative ? -number : number
    }
}
