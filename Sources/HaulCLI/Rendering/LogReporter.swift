import HaulCore

/// Writes the lines of a run to its log file, regardless of what the screen shows.
package struct LogReporter: Reporter {
    private var lines: PlainReporter

    /// Makes the reporter of a run; `expected` is nil if the number of downloads is known only at the end of a list.
    package init(expected: Int?) { lines = PlainReporter(expected: expected, quiet: false) }

    package mutating func take(_ report: Report, tally: Tally, at now: Duration) {
        lines.take(report, tally: tally, at: now)
    }

    package mutating func output(at now: Duration, window: WindowSize) -> Output {
        var output = Output()
        output.log = lines.output(at: now, window: window).standardError
        return output
    }
}
