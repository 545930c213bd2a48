import HaulCore

/// Shows one bar per download at the bottom of the terminal; lines about finished downloads scroll away above.
package struct TerminalReporter: Reporter {
    private let style: Style
    private var board: Board
    private var permanent: [String] = []
    private var frame = Frame()
    private var maxName = 0
    private var closed = false
    private var tally = Tally()
    private let expected: Int?

    /// Makes the reporter of a run; `expected` is nil if the number of downloads is known only at the end of a list.
    package init(style: Style, expected: Int?) {
        self.style = style
        self.expected = expected
        board = Board(expected: expected)
    }

    package mutating func take(_ report: Report, tally: Tally, at now: Duration) {
        self.tally = tally
        switch report {
        case .began(let job): board.begin(job)
        case .event(let job, let event): take(event, of: job, at: now)
        case .badLine(let bad): permanent.append(style.paint(EventText.badLine(bad), .red))
        case .listed, .cutShort: break
        case .log(let line): permanent.append(TerminalText.printable(line))
        case .closed(let closing): close(closing)
        }
    }

    private mutating func take(_ event: TransferEvent, of job: GetJob, at now: Duration) {
        let download = board.take(event, of: job, at: now)
        switch event {
        case .started, .progress, .waiting:
            break
        case .notice(let notice):
            permanent.append(EventText.notice(notice, name: download.name))
        case .finished(let facts):
            let mark = style.paint(style.unicode ? "✓" : "ok", .green)
            let text = EventText.finished(facts, insecure: download.insecure, isCompared: download.isCompared)
            permanent.append("\(mark) \(text)")
        case .failed(let error):
            guard error.code != .cancelled else { return }
            permanent.append(style.paint(board.failure(error, of: download), .red))
        }
    }

    private mutating func close(_ closing: Closing) {
        closed = true
        if board.several, !closing.watches || tally.ended > 0 {
            permanent.append(EventText.summary(tally, closing: closing, expected: expected))
        }
        if let text = EventText.interruption(tally, closing: closing) { permanent.append(text) }
    }

    package mutating func output(at now: Duration, window: WindowSize) -> Output {
        var output = Output()
        let rows = closed ? [] : rows(at: now, window: window)
        // One cell stays free: after a character in the last column, the cursor's position depends on the terminal.
        let width = max(0, window.columns - 1)
        maxName = rows.reduce(maxName) { max($0, TerminalText.width($1.name)) }
        let columns = Columns(width: width, maxName: maxName, insecure: rows.contains { $0.insecure })
        let lines = rows.map { RowText.line($0, columns: columns, style: style) }
        output.standardError = frame.draw(lines, above: permanent, window: window)
        permanent = []
        return output
    }

    package mutating func forgetFrame() {
        frame = Frame()
    }

    /// Returns the rows that fit the window's height, with the total last.
    private mutating func rows(at now: Duration, window: WindowSize) -> [Row] {
        let room = max(1, window.rows - 2)
        var rows = board.active.prefix(room).map { $0.row(at: now) }
        if board.active.count > room {
            rows[room - 1] = Row(name: "", gauge: .words("and \(board.active.count - room + 1) more"))
        }
        if board.several, !board.active.isEmpty { rows.append(board.total(tally, at: now)) }
        return rows
    }
}
