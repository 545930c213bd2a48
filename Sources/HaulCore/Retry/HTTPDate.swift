/// The dates of HTTP (RFC 9110, section 5.6.7), as seconds since 1970 in UTC.
package enum HTTPDate {
    /// Reads a date in any of its three forms, or gives nil where it is none.
    ///
    /// Names of days and months may have any case; whether the day of the week fits the date is not checked. A leap
    /// second counts as the first second of the next minute.
    ///
    /// - Parameter now: the time of day in seconds since 1970: a year of two digits means the latest one that is not
    ///   more than 50 years in its future.
    package static func parse(_ text: String, now: Int64) -> Int64? {
        fixed(Array(text.utf8)) ?? scanned(text, now: now)
    }

    /// Reads a date in any form, letter by letter.
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

    /// Reads `Sun, 06 Nov 1994 08:49:37 GMT`, as nearly all servers write it, without looking for where its parts begin.
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

    /// Writes a date in the form that is sent, `Sun, 06 Nov 1994 08:49:37 GMT`; times outside years 0 to 9999 are
    /// clamped.
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

    /// `06 Nov 1994 08:49:37 GMT` and, of RFC 850, `06-Nov-94 08:49:37 GMT`.
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

    /// `Nov  6 08:49:37 1994`, as C's `asctime` writes it.
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

    // "More than 50 years in the future" is measured to the second, by the calendar: from the second in `now`'s year +
    // 50.
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

    /// Three letters in one number, in lower case.
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
