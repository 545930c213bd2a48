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
        let start = columns.map { Self.padded($0.0, $0.1) }.joined(separator: " ") + "  "
        let (name, remark) = (TerminalText.printable(download.name), TerminalText.printable(end(download)))
        guard let width else { return start + name + remark }
        // The name is needed more than the remark, which haul show has as well.
        let room = max(0, width - TerminalText.width(start))
        let short = TerminalText.fitted(name, width: max(room * 2 / 3, room - TerminalText.width(remark)))
        let rest = TerminalText.fitted(remark, width: room - TerminalText.width(short))
        return TerminalText.fitted(start + short + rest, width: width)
    }

    /// Returns what follows the name: the remark, and for a download that waits what to type.
    private func end(_ download: DownloadMessage) -> String {
        guard let remark = Self.remark(download) else { return "" }
        let command = download.state == .waiting ? download.whatToType.map { ": \($0)" } : nil
        return "  (\(remark)\(command ?? ""))"
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
