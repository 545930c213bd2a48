/// HTTP dates (RFC 9110, section 5.6.7), as seconds since 1970 in UTC.
package enum HTTPDate {
    /// Parses a date in any of its three forms, or returns nil.
    ///
    /// The case of day and month names is ignored; the day of the week is not compared with the date. A leap second
    /// counts as the first second of the next minute.
    ///
    /// - Parameter now: The current time in seconds since 1970: a two-digit year means the latest matching year that is
    ///   not more than 50 years in its future.
    package static func parse(_ text: String, now: Int64) -> Int64? {
        fixed(Array(text.utf8)) ?? scanned(text, now: now)
    }

    /// Parses a date in any form with a scanner.
    static func scanned(_ text: String, now: Int64) -> Int64? {
        var scanner = ByteScanner(text)
        let weekday = scanner.word()
        let seconds: Int64?
        if scanner.skip(",") {
            guard shortDays.contains(weekday) || longDays.contains(weekday), scanner.skipSpaces() else { return nil }
            seconds = dayFirst(&scanner, now: now)
        } else {
            guard shortDays.contains(weekday), scanner.skipSpaces() else { return nil }
            seconds = monthFirst(&scanner)
        }
        return scanner.isAtEnd ? seconds : nil
    }

    /// Parses `Sun, 06 Nov 1994 08:49:37 GMT`, the form of nearly all servers, at fixed offsets.
    static func fixed(_ bytes: [UInt8]) -> Int64? {
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte.isASCIIDigit else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        func name(_ start: Int) -> UInt32 { packed(bytes[start..<start + 3]) }
        guard bytes.count == 29, bytes[3] == UInt8(ascii: ","), bytes[19] == UInt8(ascii: ":"),
            bytes[22] == UInt8(ascii: ":"), [4, 7, 11, 16, 25].allSatisfy({ bytes[$0] == UInt8(ascii: " ") }),
            packedDays.contains(name(0)), let month = packedMonths.firstIndex(of: name(8)), name(26) == packedZone,
            let day = number(5..<7), let year = number(12..<16), let hour = number(17..<19), hour < 24,
            let minute = number(20..<22), minute < 60, let second = number(23..<25), second <= 60
        else { return nil }
        return seconds(year, Int64(month) + 1, day, hour * 3600 + minute * 60 + second)
    }

    /// Formats a date as sent, `Sun, 06 Nov 1994 08:49:37 GMT`; times outside years 0 to 9999 are clamped.
    package static func string(_ seconds: Int64) -> String {
        let time = min(max(seconds, earliest), latest)
        let date = CivilDate(daysSince1970: (time - secondOfDay(time)) / 86_400)
        let second = secondOfDay(time)
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, to: 2) }.joined(separator: ":")
        let (day, month) = (shortDays[date.weekday].capitalizedASCII, months[Int(date.month) - 1].capitalizedASCII)
        return "\(day), \(padded(date.day, to: 2)) \(month) \(padded(date.year, to: 4)) \(clock) GMT"
    }
}

extension HTTPDate {
    private static let shortDays = longDays.map { String($0.prefix(3)) }
    private static let longDays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
    private static let packedDays = shortDays.map { packed(Array($0.utf8)[...]) }
    private static let packedMonths = months.map { packed(Array($0.utf8)[...]) }
    private static let packedZone = packed(Array("gmt".utf8)[...])
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    /// Parses `06 Nov 1994 08:49:37 GMT` and, of RFC 850, `06-Nov-94 08:49:37 GMT`.
    private static func dayFirst(_ scanner: inout ByteScanner, now: Int64) -> Int64? {
        guard let day = scanner.number(digits: 1...2) else { return nil }
        let isRFC850 = scanner.skip("-")
        guard isRFC850 || scanner.skipSpaces(), let month = month(&scanner) else { return nil }
        guard isRFC850 ? scanner.skip("-") : scanner.skipSpaces() else { return nil }
        guard let year = isRFC850 ? scanner.number(digits: 2...2) : scanner.number(digits: 4...4), scanner.skipSpaces(),
            let time = timeOfDay(&scanner), scanner.skipSpaces(), scanner.word() == "gmt"
        else { return nil }
        guard isRFC850 else { return seconds(year, month, day, time) }
        return seconds(shortYear: year, month, day, time, now: now)
    }

    /// Parses `Nov  6 08:49:37 1994`, the form of C's `asctime`.
    private static func monthFirst(_ scanner: inout ByteScanner) -> Int64? {
        guard let month = month(&scanner), scanner.skipSpaces(), let day = scanner.number(digits: 1...2),
            scanner.skipSpaces(),
            let time = timeOfDay(&scanner), scanner.skipSpaces(), let year = scanner.number(digits: 4...4)
        else { return nil }
        return seconds(year, month, day, time)
    }

    private static func month(_ scanner: inout ByteScanner) -> Int64? {
        months.firstIndex(of: scanner.word()).map { Int64($0) + 1 }
    }

    private static func timeOfDay(_ scanner: inout ByteScanner) -> Int64? {
        guard let hour = scanner.number(digits: 2...2), hour < 24, scanner.skip(":"),
            let minute = scanner.number(digits: 2...2), minute < 60, scanner.skip(":"),
            let second = scanner.number(digits: 2...2), second <= 60
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func seconds(_ year: Int64, _ month: Int64, _ day: Int64, _ time: Int64) -> Int64? {
        CivilDate(year: year, month: month, day: day).map { $0.daysSince1970 * 86_400 + time }
    }

    // "More than 50 years in the future" is measured to the second, by the calendar: from the same second in `now`'s
    // year + 50.
    private static func seconds(
        shortYear: Int64, _ month: Int64, _ day: Int64, _ time: Int64, now: Int64
    ) -> Int64? {
        let now = min(max(now, earliest), latest)
        let today = CivilDate(daysSince1970: (now - secondOfDay(now)) / 86_400)
        let limit = (today.year + 50, today.month, today.day, secondOfDay(now))
        let century = today.year / 100 * 100
        let years = [century + 100, century, century - 100].map { $0 + shortYear }
        guard let year = years.first(where: { ($0, month, day, time) <= limit }) else { return nil }
        return seconds(year, month, day, time)
    }

    /// Packs three letters into one number, in lower case.
    private static func packed(_ letters: ArraySlice<UInt8>) -> UInt32 {
        letters.reduce(0) { $0 << 8 | UInt32($1.asciiLowercased) }
    }

    private static func secondOfDay(_ seconds: Int64) -> Int64 { (seconds % 86_400 + 86_400) % 86_400 }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension String {
    fileprivate var capitalizedASCII: String { prefix(1).uppercased() + dropFirst() }
}

/// A day of the proleptic Gregorian calendar in years 0 to 9999.
struct CivilDate: Hashable {
    /// The year.
    let year: Int64
    /// The month, 1 to 12.
    let month: Int64
    /// The day of the month, from 1.
    let day: Int64

    /// Makes a date, or nil if there is no such day.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= Self.monthStart(month + 1, in: year) - Self.monthStart(month, in: year) else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the date this number of days after 1970-01-01; dates outside years 0 to 9999 are clamped.
    init(daysSince1970 days: Int64) {
        let day = min(max(days, Self.firstDay), Self.lastDay)
        // 400 years have 146,097 days. The quotient is at most one year off, either way.
        var year = 1970 + (day * 400) / 146_097
        while Self.yearStart(year) > day { year -= 1 }
        while Self.yearStart(year + 1) <= day { year += 1 }
        let dayOfYear = day - Self.yearStart(year)
        var month: Int64 = 12
        while Self.monthStart(month, in: year) > dayOfYear { month -= 1 }
        self.year = year
        self.month = month
        self.day = dayOfYear - Self.monthStart(month, in: year) + 1
    }

    /// The number of days since 1970-01-01.
    var daysSince1970: Int64 { Self.yearStart(year) + Self.monthStart(month, in: year) + day - 1 }

    /// The day of the week, 0 for Sunday.
    var weekday: Int { Int((daysSince1970 % 7 + 7 + 4) % 7) }

    private static let firstDay = yearStart(0)
    private static let lastDay = yearStart(10_000) - 1

    // 719,162 days lie between 0001-01-01 and 1970-01-01. Year 0 is a leap year before them.
    private static func yearStart(_ year: Int64) -> Int64 {
        guard year > 0 else { return -719_528 }
        let before = year - 1
        return before * 365 + before / 4 - before / 100 + before / 400 - 719_162
    }

    private static func monthStart(_ month: Int64, in year: Int64) -> Int64 {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return monthStarts[Int(month) - 1] + (isLeap && month > 2 ? 1 : 0)
    }

    private static let monthStarts: [Int64] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365]
}
