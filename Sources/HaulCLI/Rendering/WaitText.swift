import HaulCore

/// The reason for a wait, as text.
enum WaitText {
    /// Returns the text, such as `waiting 12s: the server said 429`.
    static func text(_ reason: WaitReason, left: Duration) -> String {
        let seconds = left / .seconds(1)
        let time =
            seconds > 0
            ? "waiting \(TimeLeft.string(seconds.rounded(.up)))" : reason == .network ? "waiting" : "retrying"
        return "\(time): \(TerminalText.printable(reason.description))"
    }

    /// Returns the seconds of an event as a duration; zero if they are not finite.
    static func duration(_ seconds: Double) -> Duration {
        .seconds(seconds.isFinite ? min(max(0, seconds), 1e9) : 0)
    }
}
