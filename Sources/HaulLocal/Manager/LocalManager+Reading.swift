import HaulCore
import HaulEngine
import HaulLibC
import HaulManager
import HaulStore
import Logging

/// Queries.
extension LocalManager {
    func find(_ locator: DownloadLocator) throws(DownloadError) -> DownloadID? {
        try open()
        return switch locator {
        case .id(let id): try catalogue.record(id)?.id
        case .key(let key): try catalogue.record(key: key)?.id
        case .index(let index): try catalogue.record(at: index)?.id
        }
    }

    func snapshot(_ id: DownloadID) throws(DownloadError) -> DownloadSnapshot {
        try open()
        guard let record = try catalogue.record(id) else { throw .noSuchDownload(id) }
        return snapshot(of: record)
    }

    func snapshots(
        _ filter: DownloadFilter, after: DownloadID?, limit: Int, isReversed: Bool
    ) throws(DownloadError) -> [DownloadSnapshot] {
        try open()
        var position: Int64?
        if let after {
            guard let known = try catalogue.record(after)?.position ?? pageEnds[after] else { return [] }
            position = known
        }
        let page = try catalogue.page(StoredFilter(filter), after: position, limit: limit, isReversed: isReversed)
        // The last but one as well: a caller may ask for one more than it shows.
        for record in page.suffix(2) { pageEnds[record.id] = record.position }
        return page.map(snapshot(of:))
    }

    func count(_ filter: DownloadFilter) throws(DownloadError) -> Int {
        try open()
        return try catalogue.count(StoredFilter(filter))
    }

    func summary() -> DownloadSummary {
        var kinds: [DownloadState.Kind: Int] = [:]
        for (state, count) in counts where count > 0 { kinds[state.kind, default: 0] += count }
        return DownloadSummary(
            counts: kinds, speed: live.values.reduce(0) { $0 + $1.progress.speed },
            connections: live.values.reduce(0) { $0 + $1.progress.connections }, isActive: isActive)
    }

    var currentSettings: ManagerSettings { settings }

    func update(_ settings: ManagerSettings) throws(DownloadError) {
        try open()
        try settings.check()
        try engine.setRate(settings)
        apply(settings)
        mailbox.post(.wake)
    }

    var firstEventNumber: Int64? { catalogue.firstEvent }

    func removed(withOneOf tags: Set<String>, after number: Int64) throws(DownloadError) -> Set<DownloadID> {
        try open()
        return try catalogue.removed(withOneOf: tags, after: number)
    }

    var awaited: Set<DownloadID> {
        get throws(DownloadError) {
            try open()
            return try catalogue.awaited
        }
    }

    func segments(_ id: DownloadID) throws(DownloadError) -> [DownloadSegment] {
        try open()
        guard try catalogue.record(id) != nil else { throw .noSuchDownload(id) }
        return live[id]?.watch.segments ?? []
    }

    var seenEvent: Int64? { seen }

    func saw(_ number: Int64) { seen = max(seen, number) }

    nonisolated func fileExists(at path: String) async -> Bool { await engine.fileExists(at: path) }

    // MARK: - For subscribers

    func present(_ download: DownloadID?) -> ManagerReplay {
        let now = clock.milliseconds().date
        var events: [DownloadEvent] = []
        do throws(DownloadError) {
            for id in download.map({ [$0] }) ?? live.keys.sorted() {
                guard let record = try catalogue.record(id) else { continue }
                events.append(
                    DownloadEvent(number: hub.last, download: id, time: now, kind: .snapshot(snapshot(of: record))))
            }
        } catch {
            configuration.logger.error("can't read the list of downloads", metadata: ["error": "\(error)"])
            return .unreadable(error)
        }
        return download != nil && events.isEmpty ? .gone(upTo: hub.last) : .events(events, upTo: hub.last)
    }

    func recorded(after number: Int64, of download: DownloadID?) -> ManagerReplay {
        do throws(DownloadError) {
            if let first = catalogue.firstEvent, first <= number + 1 {
                let events = try catalogue.events(after: number, limit: 500)
                let last = events.last?.number ?? hub.last
                return .events(events.filter { download == nil || $0.download == download }, upTo: last)
            }
        } catch {
            configuration.logger.error("can't read the events", metadata: ["error": "\(error)"])
        }
        let replay = present(download)
        if case .events(let events, let last) = replay { return .skipped(events, upTo: last) }
        return replay
    }

    // MARK: - Snapshots

    func snapshot(of record: StoredRecord) -> DownloadSnapshot {
        let entry = live[record.id]
        let progress =
            entry?.progress ?? TransferProgress(fileBytes: record.doneBytes, totalBytes: record.totalBytes)
        return DownloadSnapshot(
            id: record.id, key: record.key, spec: record.spec, state: state(of: record),
            path: entry?.path ?? record.targetPath, progress: progress, added: record.added.date,
            changed: record.changed.date)
    }

    /// Returns true while the partial file of a download is discarded before a retry: the record says that it was
    /// cancelled, although it is about to run.
    func isDiscarding(_ id: DownloadID) -> Bool {
        live[id].map { $0.cleanup != nil && $0.lifecycle.state == .queued } ?? false
    }

    private func state(of record: StoredRecord) -> DownloadState {
        let entry = live[record.id]
        switch isDiscarding(record.id) ? .queued : record.state {
        case .queued, .active:
            guard let entry, entry.lifecycle.state == .active else {
                let reason = waitReason(record.id)
                // If others start first, an event has the true reason for those who have read this.
                if reason == .start, outdated.count < Self.reasonsPerChange { outdated.insert(record.id) }
                return .waiting(reason)
            }
            return entry.wait.map { .waiting($0) } ?? .running
        case .paused: return .paused(record.pauseReason ?? .asked)
        case .held: return .waiting(record.hold ?? .credentials)
        case .finished: return .finished(record.finish ?? .missing)
        case .failed: return .failed(record.error ?? .missing)
        case .cancelled: return .cancelled(keptPartial: record.keptPartial ?? false)
        }
    }
}

extension StoredFilter {
    /// Converts a public filter for the catalogue.
    init(_ filter: DownloadFilter) {
        self.init(
            filter, states: filter.states.map { kinds in Set(StoredState.allCases.filter { kinds.contains($0.kind) }) })
    }
}

/// The places of the downloads at which recent pages of the list ended: one that is removed before the next page is
/// requested must not end the list.
struct PageEnds: Sendable {
    /// The number of places that are kept at least.
    private static let capacity = 1000

    private var newer: [DownloadID: Position] = [:]
    private var older: [DownloadID: Position] = [:]

    /// The place of a download; nil if it is not known any more.
    subscript(id: DownloadID) -> Position? {
        get { newer[id] ?? older[id] }
        set {
            newer[id] = newValue
            if newer.count >= Self.capacity { (older, newer) = (newer, [:]) }
        }
    }
}
