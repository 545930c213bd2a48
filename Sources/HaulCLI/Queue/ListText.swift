import HaulCore
package import HaulWire

/// Formats downloads of the daemon as lines of a table.
package struct ListText: Sendable {
    /// The width of a line in cells; nil for no limit.
    private let width: Int?

    /// Makes the table for a terminal, or for a file.
    init(_ output: OutputFile) { width = output.isTerminal ? output.window?.columns : nil }

    /// Makes a table with lines of at most `width` cells.
    package init(width: Int?) { self.width = width }

    /// Returns the line for one download: number, state, percent, size, speed, name, and a remark on the state.
    package func line(_ download: DownloadMessage) -> String {
        let progress = download.progress
        let columns: [(String, Int)] = [
            ("\(download.id)", 5), (download.state.rawValue, -9), (Self.part(download), 6),
            (progress.totalBytes.map { ByteCount.string($0) } ?? "", 9),
            (download.state == .running ? RowText.speed(progress.speed) : "", 11),
        ]
        var line = columns.map { Self.padded($0.0, $0.1) }.joined(separator: " ") + "  " + download.name
        if let remark = Self.remark(download) {
            // For a waiting download, the remark is what it waits for.
            let command = download.state == .waiting ? download.whatToType.map { ": \($0)" } : nil
            line += "  (\(remark)\(command ?? ""))"
        }
        line = TerminalText.printable(line)
        return width.map { TerminalText.fitted(line, width: $0) } ?? line
    }

    /// Returns the progress in percent.
    private static func part(_ download: DownloadMessage) -> String {
        if download.state == .finished { return "100 %" }
        return download.progress.fraction.map { PercentText.text($0) } ?? ""
    }

    /// Returns the reason why the download waits or failed.
    static func remark(_ download: DownloadMessage) -> String? {
        switch download.state {
        case .waiting: download.wait?.message
        case .failed: download.error?.description
        case .running, .paused, .finished, .cancelled: nil
        }
    }

    /// Pads a text; a positive width aligns it to the right.
    private static func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - TerminalText.width(text)))
        return width > 0 ? blanks + text : text + blanks
    }
}
