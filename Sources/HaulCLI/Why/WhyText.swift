import HaulCore
import HaulOptions

/// The factors that limited a run, for the user; no line is wider than 80 columns.
package struct WhyText: Sendable {
    private let record: GetRecord
    private let style: Style
    private let isRunning: Bool

    /// The maximum width of a line.
    package static let width = 80
    private static let timeline = 32
    private static let maxRows = 32
    private static let maxDownloads = 5
    private let showsAll: Bool

    /// Makes the text of a record; `isRunning` is true if the run is still active.
    ///
    /// - Parameter showsAll: True to include all downloads, not only the five that took longest.
    package init(_ record: GetRecord, isRunning: Bool, showsAll: Bool = false, style: Style) {
        self.record = record
        self.style = style
        self.isRunning = isRunning
        self.showsAll = showsAll
    }

    /// The complete text, each line with its line end.
    package var text: String {
        var lines = [title] + common
        for entry in shown {
            lines.append("")
            lines += download(entry)
        }
        let left = record.downloads.count - shown.count
        if left > 0 { lines += ["", "and \(left) more: haul why --all"] }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The downloads that took longest, in the order in which they started.
    private var shown: [GetRecord.Entry] {
        guard !showsAll, record.downloads.count > Self.maxDownloads else { return record.downloads }
        return record.downloads.sorted { $0.record.seconds > $1.record.seconds }
            .prefix(Self.maxDownloads).sorted { $0.id < $1.id }
    }

    private var title: String {
        let state =
            isRunning ? "running for" : record.isOver ? "ended after" : "ended unexpectedly, after at least"
        return "haul get, process \(record.process), \(state) \(ElapsedTime.string(record.seconds))"
    }

    /// The lines that concern all downloads.
    private var common: [String] {
        var lines: [String] = []
        let count = record.downloads.count + record.others.count
        let busy = record.seconds > 0 ? record.busySeconds / record.seconds : 0
        if count > record.jobs, busy >= 0.5 {
            lines += factor(
                busy,
                "at most \(record.jobs) download\(record.jobs == 1 ? " runs" : "s run") at a time: "
                    + "more may be faster (--jobs \(min(256, record.jobs * 2)))")
        }
        guard record.others.count > 0 else { return lines }
        let (others, mean) = (record.others, record.others.seconds / Double(record.others.count))
        let asking = others.seconds > 0 ? others.asking / others.seconds : 0
        let text =
            "\(others.count) shorter downloads: \(ByteCount.string(others.bytes)), \(ElapsedTime.string(mean)) each on average, "
            + "\(PercentText.text(asking)) of that waiting for responses"
        return lines + wrapped(text, indent: 0)
    }

    private func download(_ entry: GetRecord.Entry) -> [String] {
        let explanation = Explanation(entry.record)
        var lines = [headline(entry)]
        lines += ["  " + TerminalText.fitted(entry.record.url, width: Self.width - 2)]
        if let total = entry.record.totalBytes, entry.record.receivedBytes > total {
            lines.append("  \(ByteCount.string(entry.record.receivedBytes - total)) received twice")
        }
        lines += sources(entry.record)
        for found in explanation.factors {
            lines += factor(found.share, found.description + (found.advice.map { " (\($0))" } ?? ""))
        }
        if explanation.factors.isEmpty { lines.append("  nothing limited it for long") }
        return lines + rows(entry.record)
    }

    /// The lines about the sources: what each of them delivered, and why it is not used.
    private func sources(_ record: TransferRecord) -> [String] {
        let all = record.sources ?? []
        return all.indices.flatMap { index -> [String] in
            let source = all[index]
            guard index > 0 || source.problem != nil else { return [] }
            let name = index > 0 ? "mirror \(source.url)" : "main source"
            let used = source.bytes > 0 ? ByteCount.string(source.bytes) : "not used"
            let text = "\(name): \(used)" + (source.problem.map { "; \($0)" } ?? "")
            return wrapped(TerminalText.printable(text), indent: 2)
        }
    }

    private func headline(_ entry: GetRecord.Entry) -> String {
        let record = entry.record
        let received = record.receivedBytes
        var facts = [ByteCount.string(min(received, record.totalBytes ?? received))]
        if let total = record.totalBytes { facts[0] += " of \(ByteCount.string(total))" }
        facts[0] += " in \(ElapsedTime.string(record.seconds))"
        if record.seconds > 0 { facts.append(RowText.speed(Double(record.receivedBytes) / record.seconds)) }
        if let failure = record.failure {
            facts.append(failure == .cancelled ? "stopped" : "failed: \(failure.rawValue)")
        } else if !record.isOver {
            facts.append(isRunning ? "running" : "not ended")
        }
        let text = facts.joined(separator: ", ")
        let name = TerminalText.fitted(entry.name, width: max(4, Self.width - 2 - text.count))
        return "\(style.paint(name, .cyan))  \(text)"
    }

    private func factor(_ share: Double, _ sentence: String) -> [String] {
        let percent = share >= 0.005 ? "\(Int((min(1, max(0, share)) * 100).rounded())) %" : "-"
        var lines = wrapped(TerminalText.printable(sentence), indent: 9)
        if let first = lines.first { lines[0] = "  " + aligned(percent, 5) + first.dropFirst(7) }
        return lines
    }

    // MARK: - Connections

    private func rows(_ record: TransferRecord) -> [String] {
        guard !record.connections.isEmpty else { return [] }
        let timeline = Timeline(record, width: Self.timeline)
        let shown = record.connections.suffix(Self.maxRows)
        let hosts = Set(shown.map(\.host))
        var lines = [head(record, timeline)]
        var last: String?
        for connection in hosts.count > 1 ? shown.sorted(by: { ($0.host, $0.id) < ($1.host, $1.id) }) : Array(shown) {
            if hosts.count > 1, connection.host != last {
                lines.append("      " + TerminalText.fitted(connection.host, width: Self.width - 6))
            }
            last = connection.host
            lines.append(row(connection, timeline))
        }
        let left = record.omittedConnections + record.connections.count - shown.count
        if left > 0 { lines.append("      and \(left) earlier ones") }
        return lines
    }

    private func head(_ record: TransferRecord, _ timeline: Timeline) -> String {
        let end = ElapsedTime.string(record.seconds)
        let gap = String(repeating: " ", count: max(1, timeline.cells - 1 - end.count))
        let line =
            aligned("#", 5) + aligned("begins", 8) + aligned("answer", 8) + aligned("bytes", 10) + "  0" + gap + end
        return style.paint(line, .dim)
    }

    private func row(_ connection: ConnectionRecord, _ timeline: Timeline) -> String {
        let response = connection.responded.map { ElapsedTime.string(max(0, $0 - connection.began)) } ?? "--"
        return aligned("\(connection.id)", 5) + aligned(ElapsedTime.string(connection.began), 8) + aligned(response, 8)
            + aligned(ByteCount.string(connection.bytes), 10) + "  " + timeline.line(connection, style: style) + " "
            + TerminalText.fitted(Self.end(connection), width: Self.width - 34 - timeline.cells)
    }

    private static func end(_ connection: ConnectionRecord) -> String {
        switch connection.end {
        case nil: "active"
        case .complete: "complete"
        case .enough: "taken over"
        case .redirected: "redirected"
        case .refused: "refused\(connection.status.map { ", \($0)" } ?? "")"
        case .unusable: "not used"
        case .stalled: "silent"
        case .replaced: "slow, replaced"
        case .surplus: "surplus"
        case .moved: "moved"
        case .yielded: "given to another"
        case .stopped: "stopped"
        case .broken: "broke"
        case .fileFailed: "file failed"
        }
    }

    // MARK: - Words

    /// Wraps words into lines of at most 80 columns, each indented by `indent` blanks.
    private func wrapped(_ text: String, indent: Int) -> [String] {
        var lines: [String] = []
        let blanks = String(repeating: " ", count: indent)
        var line = ""
        for word in text.split(separator: " ") {
            let shown = TerminalText.fitted(String(word), width: Self.width - indent)
            if !line.isEmpty, indent + TerminalText.width(line) + 1 + TerminalText.width(shown) > Self.width {
                lines.append(blanks + line)
                line = ""
            }
            line += line.isEmpty ? shown : " " + shown
        }
        return line.isEmpty ? lines : lines + [blanks + line]
    }

    private func aligned(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - TerminalText.width(text))) + text
    }
}

extension LimitingFactor {
    /// The option to use for a faster download; nil if no option helps.
    var advice: String? {
        switch cause {
        case .connectionLimit(let limit, _):
            "--connections \(min(ConnectionsArgument.largest, max(2, limit > 1 << 30 ? limit : limit * 2)))"
        case .likelyPerConnection(let connections, _):
            "--connections \(min(ConnectionsArgument.largest, connections > 1 << 30 ? connections : connections * 2))"
        case .rateLimit: "raise or remove --limit-rate"
        case .single(.noValidator, _): "--checksum allows more"
        case .perConnection, .total, .server, .refusals, .hostLimit, .single, .latency, .serverAsked, .retries, .stalls,
            .disk, .processor, .processorQuota, .processorWait, .verifying, .files, .proxy:
            nil
        }
    }
}
