/// Turns reports into text.
///
/// A reporter is a value without access to a clock, screen or file, so that tests can compare its output as strings.
package protocol Reporter: Sendable {
    /// Records a report; `now` is the time since the run began.
    mutating func take(_ report: Report, tally: Tally, at now: Duration)
    /// Returns the text to write now, once.
    mutating func output(at now: Duration, window: WindowSize) -> Output
    /// Forgets the position of what was drawn before, which is no longer valid.
    mutating func forgetFrame()
    /// Sets if the run is in the foreground of its terminal; called before each output.
    mutating func setForeground(_ isForeground: Bool)
}

extension Reporter {
    package mutating func forgetFrame() {}
    package mutating func setForeground(_ isForeground: Bool) {}
}
