import HaulCore

/// Writes plain lines, for a log file or a pipe: at the start, every ten seconds, and at the end of each download.
///
/// With many downloads, the lines at their starts are left out, since they would only double the log.
package struct PlainReporter: Reporter {
    /// The time between two lines of one download.
    package static let interval = Duration.seconds(10)

    private var board: Board
    private var lines: [String] = []
    private var due: [Int: Duration] = [:]
    private let verbosity: Verbosity
    private let expected: Int?
    /// The number of downloads known so far.
    private var listed = 0

    /// With more downloads than this, starts are not reported.
    static let many = 20

    /// Makes the reporter of a run; a quiet one reports only failures.
    package init(expected: Int?, quiet: Bool) { self.init(expected: expected, verbosity: quiet ? .quiet : .normal) }

    /// Makes the reporter of a run.
    package init(expected: Int?, verbosity: Verbosity) {
        board = Board(expected: expected)
        self.verbosity = verbosity
        self.expected = expected
    }

    package mutating func take(_ report: Report, tally: Tally, at now: Duration) {
        switch report {
        case .listed(let count): listed = count
        case .began(let job): board.begin(job)
        case .event(let job, let event): take(event, of: job, at: now)
        case .badLine(let bad): lines.append(EventText.badLine(bad))
        case .cutShort: break
        case .log(let line): lines.append(TerminalText.printable(line))
        case .closed(let closing): close(closing, tally: tally)
        }
    }

    private mutating func take(_ event: TransferEvent, of job: GetJob, at now: Duration) {
        let download = board.take(event, of: job, at: now)
        switch event {
        case .started(let facts):
            due[job.id] = now + Self.interval
            // The length of a list is known only at its end, but the list is read ahead as far as it is available.
            if max(expected ?? 0, listed, job.id) <= Self.many { write(EventText.started(facts)) }
        case .progress:
            guard let time = due[job.id], now >= time else { return }
            due[job.id] = now + Self.interval
            write(EventText.progress(download.row(at: now)))
        case .waiting(let reason, let seconds):
            write("\(download.name)  \(WaitText.text(reason, left: WaitText.duration(seconds)))")
        case .notice(let notice):
            write(EventText.notice(notice, name: download.name))
        case .finished(let facts):
            due[job.id] = nil
            guard verbosity != .quiet else { return }
            lines.append(
                EventText.finished(facts, insecure: download.insecure, isCompared: download.isCompared))
        case .failed(let error):
            due[job.id] = nil
            if error.code != .cancelled { lines.append(board.failure(error, of: download)) }
        }
    }

    private mutating func close(_ closing: Closing, tally: Tally) {
        if board.several, !closing.watches || tally.ended > 0 {
            let summary = EventText.summary(tally, closing: closing, expected: expected)
            write(summary)
        }
        if let text = EventText.interruption(tally, closing: closing), verbosity != .quiet { lines.append(text) }
    }

    private mutating func write(_ line: @autoclosure () -> String) {
        if verbosity == .normal { lines.append(line()) }
    }

    package mutating func output(at now: Duration, window: WindowSize) -> Output {
        var output = Output()
        output.standardError = lines.map { $0 + "\n" }.joined()
        lines = []
        return output
    }
}

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
