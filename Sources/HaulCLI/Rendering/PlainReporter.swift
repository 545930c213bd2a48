import HaulCore

/// A plain line at the start, every ten seconds and at the end: for a log file or a pipe.
package struct PlainReporter: Reporter {
    /// The time between two lines of one download.
    package static let interval = Duration.seconds(10)

    private var board: Board
    private var lines: [String] = []
    private var due: [Int: Duration] = [:]
    private let quiet: Bool

    /// Makes the reporter of a run; a quiet one tells only of failures.
    package init(expected: Int?, quiet: Bool) {
        board = Board(expected: expected)
        self.quiet = quiet
    }

    package mutating func take(_ report: Report, tally: Tally, at now: Duration) {
        switch report {
        case .began(let job): board.begin(job)
        case .event(let job, let event): take(event, of: job, at: now)
        case .badLine(let bad): lines.append(EventText.badLine(bad))
        case .cutShort: break
        case .log(let line): lines.append(TerminalText.printable(line))
        case .closed(let closing): close(closing, tally: tally)
        }
    }

    private mutating func take(_ event: TransferEvent, of job: Job, at now: Duration) {
        let download = board.take(event, of: job, at: now)
        switch event {
        case .started(let facts):
            due[job.id] = now + Self.interval
            tell(EventText.started(facts))
        case .progress:
            guard let time = due[job.id], now >= time else { return }
            due[job.id] = now + Self.interval
            tell(EventText.progress(download.row(at: now)))
        case .waiting(let reason, let seconds):
            tell("\(download.name)  \(WaitText.text(reason, left: WaitText.duration(seconds)))")
        case .notice(let notice):
            tell(EventText.notice(notice, name: download.name))
        case .finished(let facts):
            due[job.id] = nil
            tell(EventText.finished(facts, insecure: download.insecure))
        case .failed(let error):
            due[job.id] = nil
            if error.code != .cancelled { lines.append(EventText.failed(error, name: download.name)) }
        }
    }

    private mutating func close(_ closing: Closing, tally: Tally) {
        if board.several, !closing.watches || tally.ended > 0 { tell(EventText.summary(tally, closing: closing)) }
        if let text = EventText.howToGoOn(tally, closing: closing) { tell("haul: \(text)") }
    }

    private mutating func tell(_ line: @autoclosure () -> String) {
        if !quiet { lines.append(line()) }
    }

    package mutating func output(at now: Duration, window: WindowSize) -> Output {
        var output = Output()
        output.standardError = lines.map { $0 + "\n" }.joined()
        lines = []
        return output
    }
}
