import ArgumentParser
import HaulClient
import HaulCore
import HaulWire

/// The value of `--priority`.
enum PriorityArgument {
    /// Reads a number from -1000 to 1000.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` for any other text.
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
