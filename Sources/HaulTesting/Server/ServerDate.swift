import HaulLibC

/// Formats dates for HTTP (RFC 9110, 5.6.7).
///
/// It shares no code with HaulCore's parser, which it is used to test.
public enum ServerDate {
    /// The three forms that a client must accept.
    public enum Form: Sendable, CaseIterable {
        /// `Sun, 06 Nov 1994 08:49:37 GMT`: the form that servers send.
        case fixed
        /// `Sunday, 06-Nov-94 08:49:37 GMT`: the form of RFC 850.
        case rfc850
        /// `Sun Nov  6 08:49:37 1994`: the form of C's asctime.
        case asctime
    }

    /// Returns the date `seconds` from now.
    public static func fromNow(seconds: Int, _ form: Form = .fixed) -> String { text(now + Int64(seconds), form) }

    /// The current time in seconds since 1970.
    static var now: Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec)
    }

    /// Returns the date for a time in seconds since 1970.
    static func text(_ seconds: Int64, _ form: Form = .fixed) -> String {
        let days = seconds.flooredQuotient(86_400)
        let second = seconds - days * 86_400
        let (year, monthNumber, day) = civil(days)
        // 1970-01-01 was a Thursday.
        let weekday = Int((days + 4) - (days + 4).flooredQuotient(7) * 7)
        let clock = [second / 3600, second / 60 % 60, second % 60].map(two).joined(separator: ":")
        let name = weekdays[weekday]
        let month = months[Int(monthNumber) - 1]
        return switch form {
        case .fixed: "\(name.prefix(3)), \(two(day)) \(month) \(year) \(clock) GMT"
        case .rfc850: "\(name), \(two(day))-\(month)-\(two(year % 100)) \(clock) GMT"
        case .asctime: "\(name.prefix(3)) \(month) \(day < 10 ? " " : "")\(day) \(clock) \(year)"
        }
    }

    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// Returns the date of a day number by counting years and months: slow and simple, for current years.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        var year: Int64 = 1970
        var rest = days
        while rest < 0 {
            year -= 1
            rest += length(year)
        }
        while rest >= length(year) {
            rest -= length(year)
            year += 1
        }
        let february: Int64 = length(year) == 366 ? 29 : 28
        var month: Int64 = 1
        for days in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if rest < days { break }
            rest -= days
            month += 1
        }
        return (year, month, rest + 1)
    }

    private static func length(_ year: Int64) -> Int64 {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 366 : 365
    }
}

extension Int64 {
    fileprivate func flooredQuotient(_ divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
