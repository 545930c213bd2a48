package import HaulBatch
import HaulCore

/// The line that shows a running batch on a terminal.
package enum BatchBar {
    private static let widths = 10...40

    /// A number beside the bar.
    private struct Fact {
        var text: String
        /// Facts with lower numbers are left out last.
        var rank: Int
        var isWarning = false
    }

    /// Returns rows, a bar, rates, the time left and failures in one line that is never wider than `width`.
    package static func line(_ report: BatchReport, width: Int, style: Style) -> String {
        let tally = report.tally
        let total = tally.estimate.total
        let fraction = total.map { $0 > 0 ? min(1, Double(tally.done) / Double($0)) : 1 }
        let about = tally.estimate.isExact ? "" : "~"
        let rows = "\(tally.done)" + (total.map { " of \(about)\($0)" } ?? "") + " rows"
        var facts = [
            Fact(text: fraction.map { PercentText.text($0) } ?? "", rank: 0),
            Fact(text: "\(Int(report.rowRate.rounded())) rows/s", rank: 1),
            Fact(text: RowText.speed(report.byteRate), rank: 4),
            Fact(text: timeLeft(report, total) ?? "", rank: 3),
            Fact(text: failures(tally), rank: 2, isWarning: true),
        ].filter { !$0.text.isEmpty }
        while !facts.isEmpty, room(width, rows, facts) < widths.lowerBound {
            guard let last = facts.indices.max(by: { facts[$0].rank < facts[$1].rank }) else { break }
            facts.remove(at: last)
        }
        let bar = min(room(width, rows, facts), widths.upperBound)
        var cells = [TerminalText.fitted(rows, width: width)]
        if bar >= widths.lowerBound {
            cells.append(
                fraction.map { Bar.filled($0, width: bar, style: style) }
                    ?? Bar.moving(step: Int(report.seconds), width: bar, style: style))
        }
        cells += facts.map { $0.isWarning ? style.paint($0.text, .yellow) : $0.text }
        return cells.joined(separator: "  ")
    }

    /// Returns the width that is left for the bar.
    private static func room(_ width: Int, _ rows: String, _ facts: [Fact]) -> Int {
        width - facts.reduce(rows.utf8.count + 2) { $0 + 2 + TerminalText.width($1.text) }
    }

    private static func failures(_ tally: BatchTally) -> String {
        let counts = [(tally.failedRows, "failed"), (tally.refusedRows, "refused")]
        return counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
    }

    /// Returns the time that the rest takes at the rate of the run so far.
    private static func timeLeft(_ report: BatchReport, _ total: Int64?) -> String? {
        let tally = report.tally
        guard let total, tally.rows > 0, report.seconds > 0, total > tally.done else { return nil }
        return TimeLeft.string(Double(total - tally.done) * report.seconds / Double(tally.rows))
    }
}
