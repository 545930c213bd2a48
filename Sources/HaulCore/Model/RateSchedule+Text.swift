extension RateSchedule: CustomStringConvertible {
    /// The schedule as `init(parsing:)` reads it.
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

    /// A rate in the largest unit that says it exactly.
    private static func short(_ rate: Int64) -> String {
        for (unit, shift) in [("G", 30), ("M", 20), ("K", 10)] as [(String, Int64)]
        where rate > 0 && rate & ((1 << shift) - 1) == 0 {
            return "\(rate >> shift)\(unit)"
        }
        return "\(rate)"
    }
}
