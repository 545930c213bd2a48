/// The speed computed from byte counts: a fading average with a time constant of two seconds by default.
package struct SpeedMeter: Hashable, Sendable {
    private let timeConstant: Double
    private var lastTime: Duration?
    private var lastBytes: Int64 = 0
    private var weight: Double = 0
    private var weighted: Double = 0

    /// Makes a meter.
    package init(timeConstant: Duration = .seconds(2)) { self.timeConstant = timeConstant.seconds }

    /// Bytes per second; 0 before the second sample.
    package var speed: Double { weight > 0 ? weighted / weight : 0 }

    /// Adds a sample: the total number of bytes at a time.
    ///
    /// Times must not go back; equal times are ignored.
    package mutating func add(_ bytes: Int64, at now: Duration) {
        guard let last = lastTime else {
            lastTime = now
            lastBytes = bytes
            return
        }
        let seconds = (now - last).seconds
        guard seconds > 0 else { return }
        // Weights that fade with time let the first samples count in full, instead of rising from 0.
        let fade = 1 / (1 + seconds / timeConstant)
        weighted = weighted * fade + Double(max(0, bytes - lastBytes))
        weight = weight * fade + seconds
        lastTime = now
        lastBytes = bytes
    }
}

/// Formats the remaining time.
package enum TimeLeft {
    /// Formats seconds in at most two units: `5s`, `1m05s`, `2h03m`, `3d04h`; at most six characters.
    ///
    /// Rounds up to whole seconds, so that 0 is shown only if nothing is left. Returns `--` for nil and for values that
    /// are not a time, and `>99d` for more than 99 days.
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
