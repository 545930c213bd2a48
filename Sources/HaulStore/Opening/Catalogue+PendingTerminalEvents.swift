import GRDB
package import HaulCore

extension Catalogue {
    /// Tells the ends that a process owed when it was killed, so that each run has exactly one, also where nobody saw it.
    ///
    /// - Parameters:
    ///   - resumes: Whether what is queued or was at work goes on by itself; else its pause is told by who pauses it.
    ///   - time: When, in milliseconds since 1970.
    /// - Returns: those that were cancelled and whose partials were to be removed.
    package func emitPendingTerminalEvents(resumes: Bool, time: Int64) throws(DownloadError) -> [StoredRecord] {
        var leftovers: [StoredRecord] = []
        while true {
            // A portion loses its marks with its events, and so is not found again.
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
            try apply(ids.map { RecordChange(DownloadID(rawValue: $0), .hasPendingTerminalEvent(false)) }, events: events)
        }
    }
}

extension StoredRecord {
    /// What the end of its run, or of the work on its files, would have told; nil where something else tells it.
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
