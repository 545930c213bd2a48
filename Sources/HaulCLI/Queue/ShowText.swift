import HaulCore
package import HaulWire

/// All details of a download, one per line.
package enum ShowText {
    /// Returns the lines.
    package static func lines(_ download: DownloadMessage, _ explanation: ExplanationMessage?) -> [String] {
        var lines: [(String, String)] = [("download", "\(download.id)  \(download.name)")]
        func add(_ name: String, _ value: String?) { if let value { lines.append((name, value)) } }
        add("state", state(download))
        add("next", download.whatToType)
        add("url", download.request.url)
        for mirror in download.request.mirrors { add("mirror", mirror.url) }
        add("to", download.path ?? download.request.folder)
        add("done", done(download.progress))
        if download.state == .running {
            let count = download.progress.connections
            add("speed", "\(RowText.speed(download.progress.speed)), \(count) connection\(count == 1 ? "" : "s")")
            add("left", download.progress.secondsLeft.map { TimeLeft.string($0) })
        }
        add("verified", download.finish?.verification.message)
        add("key", download.request.key)
        add("group", download.request.group)
        add("tags", download.request.tags.isEmpty ? nil : download.request.tags.sorted().joined(separator: ", "))
        add("priority", download.request.priority == 0 ? nil : "\(download.request.priority)")
        add("limit", download.request.rateLimit.map { RowText.speed(Double($0)) })
        add("added", WireJSON.time(download.added) + (download.addedBy.map { ", by \($0)" } ?? ""))
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
