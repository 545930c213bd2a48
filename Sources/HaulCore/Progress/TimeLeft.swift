/// A time that is left, as people read it.
package enum TimeLeft {
    /// Writes seconds in two units at most: `5s`, `1m05s`, `2h03m`, `3d04h`; never more than six characters.
    ///
    /// Rounded up to whole seconds, so that something is left as long as anything is. `--` for nil and what is no time,
    /// `>99d` for more than 99 days.
    package static func string(_ seconds: Double?) -> String {
        guard let seconds, seconds.isFinite, seconds >= 0 else { return "--" }
        guard seconds <= 100 * 86_400 - 1 else { return ">99d" }
        let time = Int64(seconds.rounded(.up))
        switch time {
        case ..<60: return "\(time)s"
        case ..<3600: return "\(time / 60)m\(twoDigits(time % 60))s"
        case ..<86_400: return "\(time / 3600)h\(twoDigits(time / 60 % 60))m"
        default: return "\(time / 86_400)d\(twoDigits(time / 3600 % 24))h"
        }
    }

    private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
