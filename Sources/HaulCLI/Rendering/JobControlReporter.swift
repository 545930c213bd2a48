import HaulCore

/// Shows bars while the run is in the foreground of its terminal, and plain lines while it is in the background, where
/// bars would overwrite what the user types.
package struct JobControlReporter: Reporter {
    private var bars: TerminalReporter
    private var lines: PlainReporter
    private var isForeground = true

    /// Makes the reporter of a run; `expected` is nil if the number of downloads is known only at the end of a list.
    package init(style: Style, expected: Int?) {
        bars = TerminalReporter(style: style, expected: expected)
        lines = PlainReporter(expected: expected, quiet: false)
    }

    package mutating func take(_ report: Report, tally: Tally, at now: Duration) {
        bars.take(report, tally: tally, at: now)
        lines.take(report, tally: tally, at: now)
    }

    package mutating func output(at now: Duration, window: WindowSize) -> Output {
        // Both are asked, so that neither repeats later what the other one has reported.
        let (drawn, written) = (bars.output(at: now, window: window), lines.output(at: now, window: window))
        guard !isForeground else { return drawn }
        bars.forgetFrame()
        return written
    }

    package mutating func forgetFrame() { bars.forgetFrame() }

    package mutating func setForeground(_ isForeground: Bool) {
        if isForeground != self.isForeground { bars.forgetFrame() }
        self.isForeground = isForeground
    }
}
