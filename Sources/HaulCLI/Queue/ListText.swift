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
        if let remark = Self.remark(download) { line += "  (\(remark))" }
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
        case .failed: download.error?.message
        case .running, .paused, .finished, .cancelled: nil
        }
    }

    /// A positive width stands on the right.
    private static func padded(_ text: String, _ width: Int) -> String {
        let blanks = String(repeating: " ", count: max(0, abs(width) - TerminalText.width(text)))
        return width > 0 ? blanks + text : text + blanks
    }
}

/// All that is known of a download, a fact a line.
package enum ShowText {
    /// The lines.
    package static func lines(_ download: DownloadMessage, _ explanation: ExplanationMessage?) -> [String] {
        var lines: [(String, String)] = [("download", "\(download.id)  \(download.name)")]
        func add(_ name: String, _ value: String?) { if let value { lines.append((name, value)) } }
        add("state", state(download))
        add("from", download.request.url)
        for mirror in download.request.mirrors ?? [] { add("or from", mirror.url) }
        add("to", download.path ?? download.request.folder)
        add("done", done(download.progress))
        if download.state == .running {
            add("speed", "\(RowText.speed(download.progress.speed)), \(download.progress.connections) connections")
            add("left", download.progress.secondsLeft.map { TimeLeft.string($0) })
        }
        add("verified", download.finish?.verification.message)
        add("key", download.request.key)
        add("group", download.request.group)
        add("tags", download.request.tags?.joined(separator: ", "))
        add("priority", download.request.priority.map { "\($0)" })
        add("limit", download.request.rateLimit.map { RowText.speed(Double($0)) })
        add("added", WireJSON.time(download.added))
        add("changed", WireJSON.time(download.changed))
        for factor in explanation?.factors ?? [] {
            add("why", "\(PercentText.text(factor.share)) of the time: \(factor.message)")
        }
        return lines.map { name, value in name + String(repeating: " ", count: max(1, 10 - name.count)) + value }
    }

    private static func state(_ download: DownloadMessage) -> String {
        let remark = ListText.remark(download) ?? (download.pause == .relaunch ? "since the daemon started" : nil)
        return download.state.rawValue + (remark.map { ": \($0)" } ?? "")
    }

    private static func done(_ progress: TransferProgress) -> String {
        var text = ByteCount.string(progress.fileBytes)
        if let total = progress.totalBytes { text += " of \(ByteCount.string(total))" }
        if let fraction = progress.fraction { text += ", \(PercentText.text(fraction))" }
        return text
    }
}
