/// Rate limits by time of day, written `22:00-06:00 unlimited, 12:00-13:00 500K, else 2M`.
///
/// The first part that contains the time counts, otherwise the limit after `else`; without `else` there is no limit. A
/// part may extend past midnight; it includes its start but not its end.
public struct RateSchedule: Hashable, Sendable, Codable {
    /// A part of each day and its limit.
    public struct Part: Hashable, Sendable, Codable {
        /// The start in minutes since midnight, local time.
        public let start: Int
        /// The end in minutes since midnight; not after `start` if the part extends into the next day.
        public let end: Int
        /// Bytes per second; nil: no limit.
        public let rate: Int64?

        /// Creates a part; nil if a time is not within a day (0 to 1439), or the limit is negative.
        ///
        /// A limit of 0 is the same as none.
        public init?(from start: Int, to end: Int, rate: Int64?) {
            guard (0..<RateSchedule.minutesOfDay).contains(start), (0..<RateSchedule.minutesOfDay).contains(end),
                rate ?? 0 >= 0
            else { return nil }
            self.start = start
            self.end = end
            self.rate = rate == 0 ? nil : rate
        }

        /// Returns true if a minute of the day is in the part; if start and end are equal, every minute is.
        func contains(_ minute: Int) -> Bool {
            start < end ? (start..<end).contains(minute) : minute >= start || minute < end
        }
    }

    /// The parts; the first one that contains the time counts.
    public var parts: [Part]
    /// The limit at all other times, in bytes per second; nil or 0: no limit.
    ///
    /// A negative one is refused with `invalidRequest` when the schedule is used.
    public var otherwise: Int64?

    static let minutesOfDay = 24 * 60

    /// Creates a schedule.
    public init(_ parts: [Part] = [], otherwise: Int64?) {
        self.parts = parts
        self.otherwise = otherwise
    }

    /// Returns the limit at a time in seconds since 1970; `utcOffset` is the local time's offset from UTC in seconds.
    ///
    /// - Returns: The limit in bytes per second; nil: no limit.
    public func rate(at instant: Int64, utcOffset: Int) -> Int64? {
        let day: Int64 = 86_400
        // Each operand is reduced modulo a day first, so that no sum overflows.
        let second = ((instant % day + Int64(utcOffset) % day) % day + day) % day
        let rate = parts.first { $0.contains(Int(second / 60)) }.map(\.rate) ?? otherwise
        return rate.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Checks that no limit is negative.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`.
    package func check() throws(DownloadError) {
        for rate in parts.map(\.rate) + [otherwise] { try Self.check(rate, "rateSchedule") }
    }

    /// Checks a rate limit.
    ///
    /// - Parameter name: The name of the value.
    /// - Throws: `DownloadError` with code `invalidRequest` if it is negative.
    package static func check(_ rate: Int64?, _ name: String = "rateLimit") throws(DownloadError) {
        guard let rate, rate < 0 else { return }
        throw DownloadError(.invalidRequest, "\(name) must be 0 (unlimited) or more bytes per second, not \(rate)")
    }
}

extension RateSchedule {
    /// Parses a schedule; a rate alone applies all day.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest`; the message says what is expected.
    public init(parsing text: String) throws(DownloadError) {
        self.init(otherwise: nil)
        var hasElse = false
        for clause in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = clause.split(separator: " ")
            guard !hasElse, let last = words.last else { throw Self.unreadable(text) }
            let rate = try Self.rate(last)
            if words.count == 1 || words.count == 2 && words[0] == "else" {
                guard words.count == 2 || parts.isEmpty else { throw Self.unreadable(text) }
                otherwise = rate
                hasElse = true
            } else {
                guard words.count == 2, let part = Self.part(words[0], rate) else { throw Self.unreadable(text) }
                parts.append(part)
            }
        }
    }

    private static func part(_ times: Substring, _ rate: Int64?) -> Part? {
        let ends = times.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let start = minute(ends[0]), let end = minute(ends[1]) else { return nil }
        return Part(from: start, to: end == minutesOfDay ? 0 : end, rate: rate)
    }

    /// `H:MM` or `HH:MM`, also `24:00`.
    private static func minute(_ text: Substring) -> Int? {
        let fields = text.split(separator: ":", omittingEmptySubsequences: false)
        guard fields.count == 2, (1...2).contains(fields[0].utf8.count), fields[1].utf8.count == 2,
            fields.allSatisfy({ $0.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }),
            let hour = Int(fields[0]), let minute = Int(fields[1]), hour <= 24, minute < 60, hour < 24 || minute == 0
        else { return nil }
        return hour * 60 + minute
    }

    private static func rate(_ word: Substring) throws(DownloadError) -> Int64? {
        if word == "unlimited" { return nil }
        let rate = try ByteCount.parse(String(word))
        guard rate > 0 else {
            throw DownloadError(
                .invalidRequest, "invalid rate \"\(word)\": expected a rate above 0, such as 500K or 2M, or unlimited")
        }
        return rate
    }

    private static func unreadable(_ text: String) -> DownloadError {
        DownloadError(
            .invalidRequest,
            "invalid schedule \"\(URLRedaction.quoted(text, width: 60))\": expected a form such as \"22:00-06:00 unlimited, else 2M\""
        )
    }
}

extension RateSchedule: CustomStringConvertible {
    /// The schedule in the format that `init(parsing:)` reads.
    public var description: String {
        func rate(_ rate: Int64?) -> String { rate.map(Self.short) ?? "unlimited" }
        func time(_ minutes: Int) -> String {
            let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
            return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
        }
        let shown = parts.map { "\(time($0.start))-\(time($0.end)) \(rate($0.rate))" }
        guard !shown.isEmpty else { return rate(otherwise) }
        return (shown + ["else \(rate(otherwise))"]).joined(separator: ", ")
    }

    /// Formats a rate in the largest unit that is exact.
    private static func short(_ rate: Int64) -> String {
        let unit = rate > 0 ? min(3, rate.trailingZeroBitCount / 10) : 0
        return "\(rate >> (10 * unit))\(["", "K", "M", "G"][unit])"
    }
}
