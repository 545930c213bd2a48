import HaulCore
package import HaulWire

/// Downloads of the daemon as lines of a table.
package struct ListText: Sendable {
    /// Cells of a line; nil: as many as it takes.
    private let width: Int?

    /// Makes the table for a terminal, or for a file.
    init(_ output: OutputFile) { width = output.isTerminal ? output.window?.columns : nil }

    /// Makes a table of so many cells.
    package init(width: Int?) { self.width = width }

    /// One download: number, state, part, size, speed, name, and what there is to say of the state.
    package func line(_ download: DownloadMessage) -> String {
        let progress = download.progress
        let columns: [(String, Int)] = [
            ("\(download.id)", 5), (download.state.rawValue, -9), (Self.part(download), 6),
            (progress.totalBytes.map { ByteCount.string($0) } ?? "", 9),
            (download.state == .running ? RowText.speed(progress.speed) : "", 11),
        ]
        var line = columns.map { Self.padded($0.0, $0.1) }.joined(separator: " ") + "  " + download.name
        if let remark = Self.remark(download) {
            // Of those that wait it is what they wait for.
            let command = download.state == .waiting ? download.whatToType.map { ": \($0)" } : nil
            line += "  (\(remark)\(command ?? ""))"
        }
        line = TerminalText.printable(line)
        return width.map { TerminalText.fitted(line, width: $0) } ?? line
    }

    /// How far it is, in hundredths.
    private static func part(_ download: DownloadMessage) -> String {
        if download.state == .finished { return "100 %" }
        return download.progress.fraction.map { PercentText.text($0) } ?? ""
    }

    /// Why it waits or failed.
    static func remark(_ download: DownloadMessage) -> String? {
        switch download.state {
        case .waiting: download.wait?.message
        case .failed: download.error?.description
        case .running, .paused, .finished, .cancelled: nil
        }
    }

    /// A positive width stands on the right.
    private static func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - TerminalText.width(text)))
        return width > 0 ? blanks + text : text + blanks
    }
}
