import HaulCore

/// Properties of rate limits by the time of day.
enum ScheduleChecks {
    /// Checks a schedule: at any time the limit is above zero, or there is none; and every day is the same.
    static func schedule(_ text: String) throws(FuzzFinding) {
        guard let schedule = try? RateSchedule(parsing: text) else { return }
        for instant in [Int64.min, -1, 0, 1_767_225_600, Int64.max - 86_400] {
            for offset in [Int.min, -43_200, 0, 50_400, .max] {
                let rate = schedule.rate(at: instant, utcOffset: offset)
                try claim(rate ?? 1 > 0, "a limit lets something through: \(text)")
                try claim(
                    schedule.rate(at: instant + 86_400, utcOffset: offset) == rate, "each day is the same: \(text)")
            }
        }
    }
}
