import HaulCore

/// An elapsed time as text.
package enum ElapsedTime {
    /// Returns seconds in at most seven characters: `116 ms`, `5.3 s`, and from a minute on as in `TimeLeft`; `--` if
    /// not a valid time.
    package static func string(_ seconds: Double) -> String {
        guard seconds.isFinite, seconds >= 0 else { return "--" }
        if seconds > 0, seconds < 0.9995 { return "\(max(1, Int((seconds * 1000).rounded()))) ms" }
        let tenths = Int((min(seconds, 100) * 10).rounded())
        return tenths < 600 ? "\(tenths / 10).\(tenths % 10) s" : TimeLeft.string(seconds)
    }
}
