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

/// Text for the two outputs and the log.
package struct Output: Hashable, Sendable {
    /// Text for standard output.
    package var standardOutput = ""
    /// Text for standard error.
    package var standardError = ""
    /// Lines for the log file.
    package var log = ""

    /// Makes an empty value.
    package init() {}
}

/// The amount of output on the screen.
package enum Verbosity: String, CaseIterable, Sendable {
    /// Only errors.
    case quiet
    /// One line for each download when it ends.
    case line
    /// Bars, or lines while downloads run.
    case normal
}

/// The size of the terminal in cells.
package struct WindowSize: Hashable, Sendable {
    /// Cells in a row.
    package var columns: Int
    /// Rows.
    package var rows: Int

    /// Makes a size.
    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }
}
