public import HaulCore
import HaulStore
import Logging

/// What a manager knows.
extension DownloadManager {
    /// The download with an identity, or nil.
    public func download(_ id: DownloadID) throws(DownloadError) -> Download? {
        try open()
        return try catalogue.record(id).map { Download(id: $0.id, manager: self) }
    }

    /// The download with a key, or nil.
    public func download(key: String) throws(DownloadError) -> Download? {
        try open()
        return try catalogue.record(key: key).map { Download(id: $0.id, manager: self) }
    }

    /// The download at a place in the list, 0 first, or nil.
    public func download(at index: Int) throws(DownloadError) -> Download? {
        try open()
        return try catalogue.record(at: index).map { Download(id: $0.id, manager: self) }
    }

    /// All that is known of one download now.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload`.
    public func snapshot(_ id: DownloadID) throws(DownloadError) -> DownloadSnapshot {
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        return snapshot(of: record)
    }

    /// Those that pass a filter, in the order of the list, a page at a time.
    ///
    /// - Parameters:
    ///   - after: The last one of the page before; nil: from the start. One that was removed meanwhile ends the list.
    ///   - limit: How many at most.
    ///   - isReversed: Whether the last one of the list comes first.
    public func snapshots(
        _ filter: DownloadFilter = .all, after: DownloadID? = nil, limit: Int = 100, isReversed: Bool = false
    ) throws(DownloadError) -> [DownloadSnapshot] {
        try open()
        var position: Int64?
        if let after {
            guard let record = try catalogue.record(after) else { return [] }
            position = record.position
        }
        return try catalogue.page(StoredFilter(filter), after: position, limit: limit, isReversed: isReversed)
            .map(snapshot(of:))
    }

    /// How many pass a filter.
    public func count(_ filter: DownloadFilter = .all) throws(DownloadError) -> Int {
        try open()
        return try catalogue.count(StoredFilter(filter))
    }

    /// How many stand where, and what they do together.
    public func summary() -> DownloadSummary {
        var kinds: [DownloadState.Kind: Int] = [:]
        for (state, count) in counts where count > 0 { kinds[state.kind, default: 0] += count }
        return DownloadSummary(
            counts: kinds, speed: live.values.reduce(0) { $0 + $1.progress.speed },
            connections: live.values.reduce(0) { $0 + $1.progress.connections }, isActive: isActive)
    }

    /// The summary, again each time that it changes; the newest wins.
    public nonisolated var summaries: DownloadSummaries { DownloadSummaries(manager: self) }

    /// What happens.
    ///
    /// - Parameter since: The number of the last event that the caller knows: every state event after it is replayed, also those of
    ///   earlier launches. Where so old ones are not kept any more, the subscription begins as with nil: what runs at present comes
    ///   first, as snapshots, and then what happens from now on; `snapshots(_:)` tells what else there is.
    public nonisolated func events(since: Int64? = nil) -> DownloadEvents {
        DownloadEvents(manager: self, download: nil, since: since)
    }

    /// The number of the last state event: what `events(since:)` goes on from.
    public nonisolated var lastEventNumber: Int64 { hub.last }

    /// The number of the oldest event that is kept; nil where none is.
    public var firstEventNumber: Int64? { catalogue.firstEvent }

    /// The parts of the file that a run of a download works on, or worked on last; empty where it has not run lately.
    ///
    /// They tile the file, and are as of the last tenth of a second.
    public func segments(_ id: DownloadID) throws(DownloadError) -> [DownloadSegment] {
        try open()
        guard try catalogue.record(id) != nil else { throw .noSuchDownload(id) }
        return live[id]?.watch.segments ?? []
    }

    /// The settings at work.
    public var currentSettings: ManagerSettings { settings }

    /// Changes what can be changed while it works, at once.
    ///
    /// A lower limit stops nobody who is at work.
    public func update(_ settings: ManagerSettings) throws(DownloadError) {
        try open()
        self.settings = settings
        scheduler.configure(SchedulerConfiguration(settings))
        engine.setRate(settings)
        mailbox.post(.wake)
    }

    // MARK: - For subscribers

    /// What a subscriber is told that does not find it in the hub.
    enum Replay {
        /// These, and they are all up to this number.
        case events([DownloadEvent], upTo: Int64)
        /// There is no such download, and never will be: no identity is given twice.
        case gone(upTo: Int64)
        /// The list can't be read any more.
        case unreadable
    }

    /// The present state: of one download, or of all that run.
    func present(_ download: DownloadID?) -> Replay {
        let now = WallClock.milliseconds().date
        var events: [DownloadEvent] = []
        do throws(DownloadError) {
            for id in download.map({ [$0] }) ?? live.keys.sorted() {
                guard let record = try catalogue.record(id) else { continue }
                events.append(
                    DownloadEvent(number: hub.last, download: id, time: now, kind: .snapshot(snapshot(of: record))))
            }
        } catch {
            configuration.logger.error("list not read", metadata: ["error": "\(error)"])
            return .unreadable
        }
        return download != nil && events.isEmpty ? .gone(upTo: hub.last) : .events(events, upTo: hub.last)
    }

    /// Recorded events after a number, and the number up to which these are all; the present state where that is too long ago.
    func recorded(after number: Int64, of download: DownloadID?) -> Replay {
        do throws(DownloadError) {
            if let first = catalogue.firstEvent, first <= number + 1 {
                let events = try catalogue.events(after: number, limit: 500)
                let last = events.last?.number ?? hub.last
                return .events(events.filter { download == nil || $0.download == download }, upTo: last)
            }
        } catch {
            configuration.logger.error("events not read", metadata: ["error": "\(error)"])
        }
        return present(download)
    }

    // MARK: - Snapshots

    func snapshot(of record: StoredRecord) -> DownloadSnapshot {
        let entry = live[record.id]
        let progress =
            entry?.progress ?? TransferProgress(fileBytes: record.doneBytes, totalBytes: record.totalBytes)
        return DownloadSnapshot(
            id: record.id, key: record.key, spec: record.spec, state: state(of: record),
            path: entry?.path ?? record.place, progress: progress, added: record.added.date,
            changed: record.changed.date)
    }

    private func state(of record: StoredRecord) -> DownloadState {
        let entry = live[record.id]
        switch record.state {
        case .queued, .active:
            guard let entry, entry.lifecycle.state == .active else { return .waiting(waitReason(record.id)) }
            return entry.wait.map { .waiting($0) } ?? .running
        case .paused: return .paused(record.pauseReason ?? .asked)
        case .held: return .waiting(record.hold ?? .credentials)
        case .finished: return .finished(record.finish ?? .missing)
        case .failed: return .failed(record.error ?? .missing)
        case .cancelled: return .cancelled(keptPartial: record.keptPartial ?? false)
        }
    }
}
