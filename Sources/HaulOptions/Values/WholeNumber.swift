package import HaulCore

/// Whole numbers on the command line: ASCII digits and nothing else.
package enum WholeNumber {
    /// Returns the number, or nil: there is no sign, no blank, and no number too large for `Int`.
    package static func parse(_ text: some StringProtocol) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// Returns the number, which must be within a range.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the range.
    package static func parse(_ text: String, in range: ClosedRange<Int>) throws(DownloadError) -> Int {
        guard let number = parse(text), range.contains(number) else {
            throw DownloadError(
                .invalidRequest,
                "invalid value \"\(text)\": expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
