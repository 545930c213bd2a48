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

/// A fraction in percent, such as `43 %`.
///
/// The text is `100 %` only for the whole.
enum PercentText {
    /// The percent, rounded down.
    static func text(_ fraction: Double) -> String {
        guard fraction.isFinite else { return "" }
        return "\(Int(min(1, max(0, fraction)) * 100)) %"
    }
}

/// The reason for a wait, as text.
enum WaitText {
    /// Returns the text, such as `waiting 12s: the server said 429`.
    static func text(_ reason: WaitReason, left: Duration) -> String {
        let seconds = left / .seconds(1)
        let time = seconds > 0 ? "waiting \(TimeLeft.string(seconds.rounded(.up)))" : reason.atItsEnd
        return "\(time): \(TerminalText.printable(reason.description))"
    }

    /// Returns the seconds of an event as a duration; zero if they are not finite.
    static func duration(_ seconds: Double) -> Duration {
        .seconds(seconds.isFinite ? min(max(0, seconds), 1e9) : 0)
    }
}

extension WaitReason {
    /// The word for a wait that has no known end, or whose end has come.
    fileprivate var atItsEnd: String {
        switch self {
        case .retrying, .serverAsked: "retrying"
        case .turn, .host, .connections, .start, .notBefore, .dependency, .space, .openFiles, .network,
            .meteredNetwork, .linkExpired, .credentials:
            "waiting"
        }
    }
}
