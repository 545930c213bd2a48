package import HaulAria2
package import HaulCore

/// The table of results that aria2 prints at its end.
package struct Aria2Results: Hashable, Sendable {
    /// The result of one download.
    package struct Row: Hashable, Sendable {
        /// The GID of the download.
        package var gid: GID
        /// The outcome.
        package var code: Aria2ErrorCode
        /// The average speed in bytes per second.
        package var speed: Int64?
        /// The fraction of the file that exists, 0 to 1; nil if unknown.
        package var fraction: Double?
        /// True if some bytes of an unfinished file exist.
        package var isBegun = false
        /// The path of the file, or its URL.
        package var place: String
    }

    /// The rows in the order in which downloads ended.
    package private(set) var rows: [Row] = []

    /// Creates a table without rows.
    package init() {}

    /// Adds a download that has ended or was stopped, replacing its previous row.
    ///
    /// - Parameter speed: The average speed of one that was stopped, in bytes per second; nil if the snapshot has it.
    package mutating func take(_ snapshot: DownloadSnapshot, speed: Double? = nil) {
        let gid = GID(of: snapshot)
        rows.removeAll { $0.gid == gid }
        var row = Row(
            gid: gid, code: .none, speed: nil, fraction: snapshot.progress.fraction, place: snapshot.path ?? "")
        switch snapshot.state {
        case .finished(let facts):
            row.speed = facts.seconds > 0 ? Int64(exactly: (Double(facts.sessionBytes) / facts.seconds).rounded()) : nil
            (row.place, row.fraction) = (facts.path, 1)
        case .failed(let error): row.code = Aria2ErrorCode(error, of: snapshot.spec)
        case .cancelled: row.code = .removed
        case .waiting, .running, .paused:
            row.code = snapshot.state.failure.map { Aria2ErrorCode($0, of: snapshot.spec) } ?? .unfinished
            row.speed = Int64(exactly: (speed ?? snapshot.progress.averageSpeed).rounded())
        }
        row.isBegun = snapshot.progress.fileBytes > 0
        if row.place.isEmpty { row.place = URLRedaction.shown(snapshot.spec.url) }
        rows.append(row)
    }

    /// Removes the rows of all other downloads.
    package mutating func keep(_ gids: Set<GID>) { rows.removeAll { !gids.contains($0.gid) } }

    /// The exit code of the process: that of the last failed download (aria2(1), EXIT STATUS).
    package var exitCode: Aria2ErrorCode {
        let failed = rows.last { ![Aria2ErrorCode.none, .unfinished, .removed].contains($0.code) }
        if let failed { return failed.code }
        return rows.contains { $0.code == .unfinished } ? .unfinished : .none
    }

    /// Returns the table.
    ///
    /// - Parameter isFull: True to include a column with the progress.
    package func text(isFull: Bool) -> String {
        guard !rows.isEmpty else { return "" }
        var lines = ["", "Download Results:"]
        lines.append("gid   |stat|avg speed  |" + (isFull ? "  %|" : "") + "path/URI")
        lines.append(
            "======+====+===========+" + (isFull ? "===+" : "") + String(repeating: "=", count: isFull ? 51 : 55))
        lines += rows.map { line($0, isFull) } + ["", "Status Legend:"]
        let legend = [
            ("OK", "download completed."), ("ERR", "error occurred."), ("INPR", "download in-progress."),
            ("RM", "removed."),
        ]
        lines.append(
            legend.filter { word, _ in rows.contains { Self.word($0.code) == word } }
                .map { "(\($0)):\($1)" }.joined(separator: "|"))
        if rows.contains(where: { $0.isBegun && ![Aria2ErrorCode.none, .removed, .checksum].contains($0.code) }) {
            lines += ["", "Unfinished files are kept: run the same command again to resume."]
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func line(_ row: Row, _ isFull: Bool) -> String {
        let speed = row.speed.map { Aria2Amount.bytes($0) + "/s" } ?? "n/a"
        let percent = row.fraction.map { String(Int(min(1, max(0, $0)) * 100)) } ?? "-"
        let columns =
            [
                row.gid.short, Self.word(row.code).padded(to: 4), speed.padded(to: 11, isRight: true),
            ] + (isFull ? [percent.padded(to: 3, isRight: true)] : [])
        return columns.joined(separator: "|") + "|" + TerminalText.printable(row.place)
    }

    private static func word(_ code: Aria2ErrorCode) -> String {
        switch code {
        case .none: "OK"
        case .unfinished: "INPR"
        case .removed: "RM"
        case .unknown, .timeout, .notFound, .maxFileNotFound, .tooSlow, .network, .cannotResume, .diskFull,
            .pieceLength, .sameFile, .sameInfoHash, .fileExists, .rename, .openFile, .create, .input, .makeFolder,
            .nameResolution, .metalink, .ftp, .header, .redirects, .authorization, .bencode, .torrent, .magnet, .option,
            .unavailable, .rpc, .checksum:
            "ERR"
        }
    }
}

extension String {
    fileprivate func padded(to width: Int, isRight: Bool = false) -> String {
        let blanks = String(repeating: " ", count: max(0, width - count))
        return isRight ? blanks + self : self + blanks
    }
}
