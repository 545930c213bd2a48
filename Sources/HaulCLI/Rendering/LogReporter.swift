import HaulCore

/// The lines of a run for its log file, whatever the screen shows.
package struct LogReporter: Reporter {
    private var lines: PlainReporter

    /// Makes the reporter of a run; `expected` is nil if only a list knows how many downloads there are.
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
