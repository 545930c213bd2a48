extension RateSchedule: CustomStringConvertible {
    /// The schedule as `init(parsing:)` reads it.
    public var description: String {
        func rate(_ rate: Int64?) -> String { rate.map { "\($0)" } ?? "unlimited" }
        func time(_ minutes: Int) -> String {
            let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
            return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
        }
        let shown = parts.map { "\(time($0.start))-\(time($0.end)) \(rate($0.rate))" }
        guard !shown.isEmpty else { return rate(otherwise) }
        return (shown + ["else \(rate(otherwise))"]).joined(separator: ", ")
    }
}
