import HaulCore

/// Lays out a row in its columns.
///
/// The result is never wider than the columns.
package enum RowText {
    /// Returns the row as one line, without a line end.
    package static func line(_ row: Row, columns: Columns, style: Style) -> String {
        var cells = [padded(TerminalText.fitted(row.name, width: columns.name), to: columns.name)]
        if columns.insecure > 0 {
            cells.append(style.paint(padded(row.insecure ? "insecure" : "", to: columns.insecure), .yellow))
        }
        switch row.gauge {
        case .words(let words):
            if columns.words > 0 {
                cells.append(style.paint(TerminalText.fitted(words, width: columns.words), .yellow))
            }
        case .facts(let facts):
            if columns.words > 0 { cells.append(self.facts(facts, width: columns.words)) }
        case .filled(let fraction):
            if columns.bar > 0 { cells.append(Bar.filled(fraction, width: columns.bar, style: style)) }
            cells += numbers(row, columns: columns, style: style)
        case .moving(let step):
            if columns.bar > 0 { cells.append(Bar.moving(step: step, width: columns.bar, style: style)) }
            cells += numbers(row, columns: columns, style: style)
        }
        return cells.joined(separator: String(repeating: " ", count: columns.gap))
    }

    private static func facts(_ facts: [String], width: Int) -> String {
        var text = TerminalText.fitted(facts.first ?? "", width: width)
        for fact in facts.dropFirst() {
            guard TerminalText.width(text) + 2 + TerminalText.width(fact) <= width else { break }
            text += ", \(fact)"
        }
        return text
    }

    private static func numbers(_ row: Row, columns: Columns, style: Style) -> [String] {
        let all: [(Int, String)] = [
            (columns.percent, percent(row.gauge)),
            (columns.bytes, columns.showsTotal ? bytes(row) : ByteCount.string(row.bytes)),
            (columns.speed, row.speed.map(speed) ?? ""),
            (columns.time, row.secondsLeft.map { TimeLeft.string($0) } ?? ""),
            (columns.connections, connections(row.connections, width: columns.connections, style: style)),
        ]
        return all.filter { $0.0 > 0 }.map { aligned($0.1, to: $0.0) }
    }

    private static func percent(_ gauge: Row.Gauge) -> String {
        guard case .filled(let fraction) = gauge else { return "" }
        return PercentText.text(fraction)
    }

    private static func bytes(_ row: Row) -> String {
        guard let total = row.totalBytes else { return ByteCount.string(row.bytes) }
        return "\(ByteCount.string(row.bytes)) / \(ByteCount.string(total))"
    }

    private static func connections(_ count: Int, width: Int, style: Style) -> String {
        guard count > 0 else { return "" }
        return width >= 7 ? "\(count) conn" : "\(count)\(style.unicode ? "×" : "x")"
    }

    /// Returns a speed with its unit.
    static func speed(_ bytesPerSecond: Double) -> String {
        ByteCount.string(Int64(exactly: bytesPerSecond.rounded(.down)) ?? 0) + "/s"
    }

    private static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - TerminalText.width(text)))
    }

    private static func aligned(_ text: String, to width: Int) -> String {
        let fitted = TerminalText.fitted(text, width: width)
        return String(repeating: " ", count: max(0, width - TerminalText.width(fitted))) + fitted
    }
}
