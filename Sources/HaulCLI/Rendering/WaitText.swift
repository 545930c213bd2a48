import HaulCore

/// Why a download waits, in words.
enum WaitText {
    /// For example `waiting 12s: the server said 429`.
    static func text(_ reason: WaitReason, left: Duration) -> String {
        let seconds = left / .seconds(1)
        let time = seconds > 0 ? "waiting \(TimeLeft.string(seconds.rounded(.up)))" : "retrying"
        return "\(time): \(TerminalText.printable(reason.description))"
    }

    /// The seconds of an event as a duration; what is no time is none.
    static func duration(_ seconds: Double) -> Duration {
        .seconds(seconds.isFinite ? min(max(0, seconds), 1e9) : 0)
    }
}
