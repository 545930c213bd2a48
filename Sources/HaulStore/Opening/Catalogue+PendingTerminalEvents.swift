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
    /// - Returns: The downloads that were cancelled and whose partial files were to be removed, and those that had finished and were to
    ///   be removed with their files. The latter keep their marks until they are removed.
    package func emitPendingTerminalEvents(resumes: Bool, time: Int64) throws(DownloadError) -> [StoredRecord] {
        let removed = try reading {
            try Int64.fetchAll(
                $0,
                sql: "SELECT id FROM download WHERE pending_terminal_event = 1 AND state = ? ORDER BY position",
                arguments: [StoredState.finished.number])
        }
        var leftovers: [StoredRecord] = []
        for id in removed { if let record = try record(DownloadID(rawValue: id)) { leftovers.append(record) } }
        while true {
            // A batch loses its marks together with writing its events, and so is not found again.
            let ids = try reading {
                try Int64.fetchAll(
                    $0,
                    sql: """
                        SELECT id FROM download WHERE pending_terminal_event = 1 AND state <> ?
                        ORDER BY position LIMIT 5000
                        """,
                    arguments: [StoredState.finished.number])
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

extension Catalogue {
    /// Returns the downloads of the queue whose request must not be sent again by itself: they have begun, and the server may have
    /// carried it out.
    package func unrepeatable() throws(DownloadError) -> Set<DownloadID> {
        let ids = try reading {
            try Int64.fetchAll(
                $0,
                sql: """
                    SELECT id FROM download WHERE state IN (?, ?) AND has_begun = 1 AND options IN
                        (SELECT number FROM options WHERE instr(json, '"method":') > 0 OR instr(json, '"body":') > 0)
                    """, arguments: [StoredState.queued.number, StoredState.active.number])
        }
        var found: Set<DownloadID> = []
        for id in ids.map(DownloadID.init(rawValue:)) where try record(id)?.spec.mayRepeat == false { found.insert(id) }
        return found
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
