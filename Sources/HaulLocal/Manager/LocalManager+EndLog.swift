import HaulCore
import HaulLibC
import HaulStore
import Logging

/// A line in the log for each end of a download.
extension LocalManager {
    /// A line that is written once the end is recorded.
    struct EndLine {
        var level: Logger.Level
        var message: Logger.Message
        var metadata: Logger.Metadata
    }

    /// Returns the lines for the ends among some events; call it before they are recorded, while records to be removed
    /// can still be read.
    func endLines(_ events: [DownloadEvent]) -> [EndLine] {
        guard configuration.logger.logLevel <= .warning else { return [] }
        return events.compactMap(endLine)
    }

    func log(_ lines: [EndLine]) {
        for line in lines { configuration.logger.log(level: line.level, line.message, metadata: line.metadata) }
    }

    private func endLine(_ event: DownloadEvent) -> EndLine? {
        var line: EndLine
        switch event.kind {
        case .finished(let facts):
            line = EndLine(level: .info, message: "download finished", metadata: ["code": "ok"])
            line.metadata["path"] = "\(facts.path)"
            (line.metadata["bytes"], line.metadata["seconds"]) = ("\(facts.totalBytes)", Self.seconds(facts.seconds))
        case .failed(let error): line = Self.line("download failed", error)
        case .waiting(.linkExpired(let error), _): line = Self.line("download needs a new link", error)
        case .waiting(.credentials, _):
            line = EndLine(level: .warning, message: "download needs its credentials again", metadata: [:])
        case .cancelled:
            line = EndLine(level: .info, message: "download cancelled", metadata: ["code": "cancelled"])
        case .removed(let files):
            line = EndLine(
                level: .info, message: "download removed", metadata: ["code": "removed", "files": "\(files.rawValue)"])
        case .snapshot, .progress, .added, .started, .waiting, .notice, .paused, .resumed, .sourceReplaced, .changed:
            return nil
        }
        guard line.level >= configuration.logger.logLevel else { return nil }
        addFacts(of: event.download, to: &line.metadata)
        return line
    }

    private func addFacts(of id: DownloadID, to metadata: inout Logger.Metadata) {
        metadata["download"] = "\(id)"
        let entry = live[id]
        // If the catalogue can't be read, the fields are left out.
        let record = entry == nil ? (try? catalogue.record(id)).flatMap(\.self) : nil
        if let url = entry?.spec.url ?? record?.spec.url { metadata["url"] = "\(Self.redacted(url))" }
        if metadata["bytes"] == nil, let bytes = entry?.progress.fileBytes ?? record?.doneBytes {
            metadata["bytes"] = "\(bytes)"
        }
        if metadata["seconds"] == nil, let entry, entry.cleanup == nil {
            metadata["seconds"] = Self.seconds((clock.now - entry.began) / .seconds(1))
        }
    }

    private static func line(_ message: Logger.Message, _ error: DownloadError) -> EndLine {
        EndLine(
            level: .warning, message: message, metadata: ["code": "\(error.code.rawValue)", "error": "\(error)"])
    }

    private static func redacted(_ url: String) -> String {
        (try? SourceURL(parsing: url))?.redacted ?? URLRedaction.quoted(url, width: 200)
    }

    /// Rounds to three decimals.
    private static func seconds(_ seconds: Double) -> Logger.MetadataValue { "\((seconds * 1000).rounded() / 1000)" }
}
