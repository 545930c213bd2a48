package import HaulCore

/// Whole numbers on the command line: ASCII digits and nothing else.
package enum WholeNumber {
    /// Returns the number, or nil for a text with a sign or a blank, or a number too large for `Int`.
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
