package import HaulCore

/// The sentences about a run, without a line end.
///
/// Names and messages are safe for a terminal.
package enum EventText {
    /// Returns the line for a complete download: `name  64.0 MiB in 12.0 s, 5.3 MiB/s, verified by sha-256 (given)`.
    ///
    /// - Parameter isCompared: True if the existing bytes were compared with those of a server that sends only whole files.
    package static func finished(_ facts: FinishFacts, insecure: Bool, isCompared: Bool = false) -> String {
        var parts: [String] = []
        if facts.kept {
            let isUnseen = facts.verification == .nothing
            parts.append(ByteCount.string(facts.totalBytes))
            parts.append(isUnseen ? "skipped: file exists" : "kept: \(facts.verification)")
        } else {
            parts.append("\(ByteCount.string(facts.totalBytes)) in \(ElapsedTime.string(facts.seconds))")
            if facts.sessionBytes < facts.totalBytes {
                let existing = ByteCount.string(facts.totalBytes - facts.sessionBytes)
                parts.append("\(existing) \(isCompared ? "existed and were compared" : "resumed")")
            }
            // The few bytes that confirm a partial file that was whole have no speed worth showing.
            if facts.seconds >= 0.05, facts.sessionBytes >= min(facts.totalBytes, 65_536) {
                parts.append(RowText.speed(Double(facts.sessionBytes) / facts.seconds))
            }
            parts.append(facts.verification.description)
        }
        if insecure { parts.append("insecure") }
        return "\(GetJob.name(ofPath: facts.path))  \(parts.joined(separator: ", "))"
    }

    /// Returns the line for a failed download: `haul: list, line 7: name: message <URL>`.
    ///
    /// The line number is included for a download from a list, the URL if it matters for the failure.
    ///
    /// - Parameters:
    ///   - path: The destination, if it is known.
    ///   - given: The advice of earlier lines, which is not repeated; that of this line is added.
    package static func failed(
        _ error: DownloadError, name: String, path: String? = nil, of job: GetJob, given: inout Set<String>
    ) -> String {
        var text = "haul: "
        if let line = job.line { text += "\(place(job.list, line)): " }
        text += "\(name): \(TerminalText.printable(error.description))"
        let url = TerminalText.printable(job.shownURL)
        if error.code.isOfSource, !text.contains(url) { text += " <\(url)>" }
        guard let advice = FailureAdvice.text(for: error, url: job.url, path: path ?? name),
            given.insert(advice).inserted
        else { return text }
        return "\(text); \(advice)"
    }

    /// Returns the line for a list entry that is not a URL.
    package static func badLine(_ bad: BadLine) -> String {
        "haul: \(place(bad.list, bad.line)): \(TerminalText.printable(bad.message))"
    }

    /// Returns the list and the line of an entry; 0 means none.
    static func place(_ list: String?, _ line: Int) -> String {
        let name = list.map { $0 == "-" ? "standard input" : TerminalText.printable($0) }
        return [name, line > 0 ? "line \(line)" : nil].compactMap { $0 }.joined(separator: ", ")
    }

    /// Returns the line for a notice.
    package static func notice(_ notice: Notice, name: String) -> String {
        let text =
            switch notice {
            case .partialQuarantined(let reason): "the partial file is not used: \(TerminalText.printable(reason))"
            case .sourceChanged: "the file differs from the data received before: starting over"
            case .rangesIgnored: "the server sends only the whole file: fetching it again from the start"
            case .fewerConnections(let count):
                "the server refused a further connection: continuing with \(count)"
            case .sourceExcluded(let url, let reason):
                "continuing without the source \(TerminalText.printable(url)): \(TerminalText.printable(reason))"
            case .badPieces(let count):
                "\(count) piece\(count == 1 ? " is" : "s are") damaged: downloading \(count == 1 ? "it" : "them") again"
            case .headerDigestWrong(let header, let host):
                "the header \(header) from \(TerminalText.printable(host)) has a different checksum: yours is used"
            case .webPage:
                "the server sent a web page (text/html), possibly an error or a login page instead of the file"
            }
        return "\(name): \(text)"
    }

    /// Returns the line for a started download: `name  started, 64.0 MiB, 12.0 MiB already downloaded`.
    package static func started(_ facts: StartFacts) -> String {
        var parts = ["started", facts.totalBytes.map { ByteCount.string($0) } ?? "size unknown"]
        if facts.resumedBytes > 0 { parts.append("\(ByteCount.string(facts.resumedBytes)) resumed") }
        if facts.insecure { parts.append("insecure: certificates are not checked") }
        return "\(GetJob.name(ofPath: facts.path))  \(parts.joined(separator: ", "))"
    }

    /// Returns the summary of several downloads: `3 of 4 complete, 1 failed, 120 MiB in 14.0 s`.
    ///
    /// Downloads that continue without a watcher are not counted, and the time for which they were watched says nothing
    /// about them.
    ///
    /// - Parameter expected: The number of downloads of the run, if it is known.
    package static func summary(_ tally: Tally, closing: Closing, expected: Int? = nil) -> String {
        let count = tally.cutShort ? expected : tally.ended
        let all = closing.watches ? nil : count
        var parts = ["\(tally.complete)\(all.map { " of \($0)" } ?? "") complete"]
        if tally.kept > 0 { parts.append("\(tally.kept) existed") }
        if tally.failed > 0 { parts.append("\(tally.failed) failed") }
        if tally.stopped > 0 { parts.append("\(tally.stopped) stopped") }
        if tally.cutShort, let expected, expected > tally.ended {
            parts.append("\(expected - tally.ended) not started")
        }
        parts.append(ByteCount.string(tally.bytes))
        return parts.joined(separator: ", ") + (closing.watches ? "" : " in \(ElapsedTime.string(closing.seconds))")
    }

    /// Returns the sentence that the run was stopped and what the same command does next; nil if nothing was stopped.
    package static func interruption(_ tally: Tally, closing: Closing) -> String? {
        guard let stop = closing.stop, tally.stopped > 0 || tally.cutShort else { return nil }
        let stopped =
            switch stop {
            case .interrupt: "Interrupted"
            case .terminate, .hangup: "Terminated"
            case .outputClosed: "Stopped"
            }
        // The reader has closed the output on purpose, as `head` does: no message.
        if closing.streams { return stop == .outputClosed ? nil : "\(stopped). The output is incomplete." }
        guard closing.resumes else { return "\(stopped). With --no-resume, nothing is kept." }
        if tally.ended == 1, !tally.cutShort { return stopped + whatFollows(tally) }
        var text = "\(stopped). Run the same command again to resume"
        if tally.complete > 0, closing.onConflict == .fail {
            text += ", with --on-conflict skip for the complete files"
        }
        guard tally.restarting > 0 else { return text + "." }
        let what = tally.restarting == 1 ? "is requested as a whole" : "are requested as a whole"
        return text + "; \(tally.restarting) of \(tally.stopped) \(what): the server does not support resuming."
    }

    /// Returns what the same command does with the one download that was stopped.
    private static func whatFollows(_ tally: Tally) -> String {
        // Before it has started, a partial file may exist.
        guard let progress = tally.stoppedProgress else { return ". Run the same command again." }
        guard progress.fileBytes > 0 else { return ". Run the same command again to start over." }
        let place = progress.fraction.map { PercentText.text($0) } ?? ByteCount.string(progress.fileBytes)
        let sentence =
            switch tally.resumption {
            case .resumes: "Run the same command again to resume."
            case .depends: "Run the same command again to resume, if the server supports it."
            case .lacksRanges: "The server does not support resuming: the same command requests the whole file again."
            case .nothingKept: "The same command starts again."
            }
        return " at \(place). \(sentence)"
    }
}

extension EventText {
    /// Returns the progress of a download: `name  43 %, 27.5 MiB of 64.0 MiB, 5.3 MiB/s, 7s left, 6 connections`.
    package static func progress(_ row: Row) -> String {
        var parts: [String] = []
        switch row.gauge {
        case .filled(let fraction): parts.append(PercentText.text(fraction))
        case .moving: break
        case .words(let words): parts.append(words)
        case .facts(let facts): parts += facts
        }
        parts.append(ByteCount.string(row.bytes) + (row.totalBytes.map { " of \(ByteCount.string($0))" } ?? ""))
        if let speed = row.speed { parts.append(RowText.speed(speed)) }
        if let left = row.secondsLeft { parts.append("\(TimeLeft.string(left)) left") }
        if row.connections > 0 { parts.append("\(row.connections) connection\(row.connections == 1 ? "" : "s")") }
        if row.insecure { parts.append("insecure") }
        return "\(row.name)  \(parts.joined(separator: ", "))"
    }
}

extension DownloadError.Code {
    /// True if the source or the connection failed, rather than this machine or the request.
    fileprivate var isOfSource: Bool {
        switch self {
        case .nameNotResolved, .connectionFailed, .timedOut, .tlsFailed, .notFound, .notAuthorized, .linkExpired,
            .serverBusy, .unexpectedStatus, .redirectRefused, .badResponse, .contentEncoded, .sourceChanged,
            .checksumMismatch:
            true
        case .invalidRequest, .noSpace, .fileFailed, .tooManyFiles, .destinationExists, .destinationBusy,
            .noSuchDownload, .notPossible, .catalogueBusy, .catalogueFailed, .cancelled, .internal:
            false
        }
    }
}
