/// Parses the dates in `Set-Cookie`, which come in many formats (RFC 6265, section 5.1.1).
enum CookieDate {
    /// Returns a date in seconds since 1970, or nil if a part is missing or out of range.
    ///
    /// The first words that look like a time, a day, a month and a year count.
    static func parse(_ text: some StringProtocol) -> Int64? {
        var time: Int64?
        var day: Int64?
        var month: Int64?
        var year: Int64?
        for token in text.utf8.split(whereSeparator: isDelimiter).map({ Array($0)[...] }) {
            if time == nil, let found = timeOfDay(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 } else if year < 70 { year += 2000 }
        guard year >= 1601, let date = CivilDate(year: year, month: month, day: day) else { return nil }
        return date.daysSince1970 * 86_400 + time
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        case _: false
        }
    }

    /// Returns the number at the start of a token; a further digit after it is an error.
    private static func number(_ token: ArraySlice<UInt8>, digits: ClosedRange<Int>) -> Int64? {
        let found = token.prefix(while: \.isASCIIDigit)
        guard digits.contains(found.count) else { return nil }
        return found.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    private static func timeOfDay(_ token: ArraySlice<UInt8>) -> Int64? {
        let parts = token.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2, parts[0].allSatisfy(\.isASCIIDigit),
            parts[1].allSatisfy(\.isASCIIDigit), let hour = number(parts[0], digits: 1...2),
            let minute = number(parts[1], digits: 1...2), let second = number(parts[2], digits: 1...2),
            hour < 24, minute < 60, second < 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func monthNumber(_ token: ArraySlice<UInt8>) -> Int64? {
        months.firstIndex(of: token.prefix(3).asciiLowercasedText).map { Int64($0) + 1 }
    }

    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
}
