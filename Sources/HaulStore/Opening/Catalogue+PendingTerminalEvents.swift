import GRDB
package import HaulCore

extension Catalogue {
    /// Emits the terminal events that were pending when a process was killed, so that each run has exactly one, and
    /// removes the downloads that were being removed and have no files to be removed.
    ///
    /// - Parameters:
    ///   - resumes: True if queued and active downloads continue by themselves; otherwise pausing them emits
    ///     their events.
    ///   - time: The time, in milliseconds since 1970.
    ///
    /// - Returns: The downloads whose files are still to be removed. They keep their marks until that is done, and have
    ///   their events then.
    package func emitPendingTerminalEvents(resumes: Bool, time: Int64) throws(DownloadError) -> [Leftover] {
        let leftovers = try interruptedRemovals(time: time) + interruptedDiscards()
        while true {
            // A batch loses its marks together with writing its events, and so is not found again.
            let ids = try reading {
                try Int64.fetchAll(
                    $0,
                    sql: """
                        SELECT id FROM download
                        WHERE pending_terminal_event = 1 AND kept IS NOT 0 AND id NOT IN (SELECT download FROM removal)
                        ORDER BY position LIMIT 5000
                        """)
            }
            guard !ids.isEmpty else { return leftovers }
            var events: [DownloadEvent] = []
            for id in ids.map(DownloadID.init(rawValue:)) {
                guard let kind = try record(id)?.owedEnd(resumes: resumes) else { continue }
                let number = (events.last?.number ?? lastEvent) + 1
                events.append(DownloadEvent(number: number, download: id, time: StoredTime.date(time), kind: kind))
            }
            try apply(
                ids.map { RecordChange(DownloadID(rawValue: $0), .hasPendingTerminalEvent(false)) }, events: events)
        }
    }

    /// Removes the downloads that were being removed and whose files are kept, and returns the other ones.
    private func interruptedRemovals(time: Int64) throws(DownloadError) -> [Leftover] {
        let kept = try removals("files = 'none'")
        let number = lastEvent
        let events = kept.enumerated().map { index, id in
            DownloadEvent(
                number: number + 1 + Int64(index), download: id, time: StoredTime.date(time), kind: .removed(.none))
        }
        try apply(kept.map { RecordChange($0, .remove) }, events: events)
        var leftovers: [Leftover] = []
        for files in [RemovedFiles.partial, .all] {
            for id in try removals("files = '\(files.rawValue)'") {
                if let record = try record(id) { leftovers.append(Leftover(record: record, removed: files)) }
            }
        }
        return leftovers
    }

    /// Returns the cancelled downloads whose partial files are still to be discarded.
    private func interruptedDiscards() throws(DownloadError) -> [Leftover] {
        let ids = try reading {
            try Int64.fetchAll(
                $0,
                sql: """
                    SELECT id FROM download
                    WHERE pending_terminal_event = 1 AND kept = 0 AND id NOT IN (SELECT download FROM removal)
                    ORDER BY position
                    """)
        }
        var leftovers: [Leftover] = []
        for id in ids.map(DownloadID.init(rawValue:)) {
            if let record = try record(id) { leftovers.append(Leftover(record: record, removed: nil)) }
        }
        return leftovers
    }

    /// Returns the downloads that are being removed and fulfil a condition.
    private func removals(_ condition: String) throws(DownloadError) -> [DownloadID] {
        try reading {
            try Int64.fetchAll($0, sql: "SELECT download FROM removal WHERE \(condition) ORDER BY download")
        }
        .map(DownloadID.init(rawValue:))
    }
}

/// A download whose files a killed process has not removed.
package struct Leftover: Sendable, Hashable {
    /// The download.
    package var record: StoredRecord
    /// The files that are removed together with the record; nil: the partial file of a cancelled download.
    package var removed: RemovedFiles?
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
