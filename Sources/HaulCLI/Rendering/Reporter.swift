/// Turns what happens into text.
///
/// A value without clock, screen or file: what it says is compared as strings.
package protocol Reporter: Sendable {
    /// Takes note of one report; `now` is the time since the run began.
    mutating func take(_ report: Report, tally: Tally, at now: Duration)
    /// What is to be written now, and forgets it.
    mutating func output(at now: Duration, window: WindowSize) -> Output
    /// What was drawn before is no longer where it was.
    mutating func forgetFrame()
    /// Whether the run is in the foreground of its terminal, as it is before each output.
    mutating func setForeground(_ isForeground: Bool)
}

extension Reporter {
    package mutating func forgetFrame() {}
    package mutating func setForeground(_ isForeground: Bool) {}
}
