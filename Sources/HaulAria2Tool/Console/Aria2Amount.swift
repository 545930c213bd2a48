/// Sizes and durations in aria2's format: `1.5MiB`, `4m51s`.
package enum Aria2Amount {
    /// Returns a number of bytes, rounded down, with a fraction only below ten of a unit, and in the next unit from
    /// nine tenths of it on.
    package static func bytes(_ count: Int64, isReadable: Bool = true) -> String {
        guard isReadable, count >= 922 else { return "\(max(0, count))B" }
        var (whole, rest, unit) = (count, Int64(0), 0)
        while whole >= 1024 { (rest, whole, unit) = (whole % 1024, whole / 1024, unit + 1) }
        if whole >= 922, unit < units.count - 1 { (rest, whole, unit) = (whole, 0, unit + 1) }
        return "\(whole)" + (whole < 10 ? ".\(rest * 10 / 1024)" : "") + units[unit]
    }

    /// Returns a duration without its zero parts.
    package static func time(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        let (hours, minutes, rest) = (seconds / 3600, seconds / 60 % 60, seconds % 60)
        let text = (hours > 0 ? "\(hours)h" : "") + (minutes > 0 ? "\(minutes)m" : "")
        return rest > 0 || text.isEmpty ? text + "\(rest)s" : text
    }

    private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]
}
