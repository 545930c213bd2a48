/// A day of the Gregorian calendar, also before the calendar began, in years 0 to 9999.
struct CivilDate: Hashable {
    /// The year.
    let year: Int64
    /// The month, 1 to 12.
    let month: Int64
    /// The day of the month, from 1.
    let day: Int64

    /// Makes a date, or nothing where there is no such day.
    init?(year: Int64, month: Int64, day: Int64) {
        guard (0...9999).contains(year), (1...12).contains(month) else { return nil }
        guard day >= 1, day <= Self.monthStart(month + 1, in: year) - Self.monthStart(month, in: year) else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// Makes the date that lies so many days behind 1970-01-01; days outside years 0 to 9999 count as the nearest
    /// inside.
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

    /// How many days it lies behind 1970-01-01.
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
