import GRDB
package import HaulCore

extension Catalogue {
    /// Emits the terminal events that were pending when a process was killed, so that each run has exactly one.
    ///
    /// - Parameters:
    ///   - resumes: True if queued and active downloads continue by themselves; otherwise pausing them emits
    ///     their events.
    ///   - time: The time, in milliseconds since 1970.
    ///
    /// - Returns: The downloads that were cancelled and whose partial files were to be removed.
    package func emitPendingTerminalEvents(resumes: Bool, time: Int64) throws(DownloadError) -> [StoredRecord] {
        var leftovers: [StoredRecord] = []
        while true {
            // A batch loses its marks together with writing its events, and so is not found again.
            let ids = try reading {
                try Int64.fetchAll(
                    $0, sql: "SELECT id FROM download WHERE pending_terminal_event = 1 ORDER BY position LIMIT 5000")
            }
            guard !ids.isEmpty else { return leftovers }
            var events: [DownloadEvent] = []
            for id in ids.map(DownloadID.init(rawValue:)) {
                guard let record = try record(id) else { continue }
                if record.state == .cancelled, record.keptPartial == false { leftovers.append(record) }
                guard let kind = record.owedEnd(resumes: resumes) else { continue }
                let number = (events.last?.number ?? lastEvent) + 1
                events.append(DownloadEvent(number: number, download: id, time: StoredTime.date(time), kind: kind))
            }
            try apply(
                ids.map { RecordChange(DownloadID(rawValue: $0), .hasPendingTerminalEvent(false)) }, events: events)
        }
    }
}

extension StoredRecord {
    /// Returns the terminal event of the run, or of the work on the files; nil if it is emitted otherwise.
    fileprivate func owedEnd(resumes: Bool) -> DownloadEvent.Kind? {
        switch state {
        case .queued, .active: resumes ? .waiting(.start, until: nil) : nil
        case .paused: .paused(pauseReason ?? .asked)
        case .cancelled: .cancelled(keptPartial: keptPartial ?? true)
        // Their events were recorded together with the state.
        case .held, .finished, .failed: nil
        }
    }
}
