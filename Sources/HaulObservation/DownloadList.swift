public import HaulCore
public import HaulManager
public import Observation

/// The downloads of a manager for a user interface: filtered, ordered, and kept up to date on the main actor.
///
///     @State private var list = DownloadList(manager)
///
///     List(list.downloads) { Row($0) }.task { try? await list.run() }
///
/// Each row is an object of its own that stays the same as long as the download is in the list: progress changes the
/// row, and `downloads` changes only if a row appears, disappears or moves. So a view of a thousand rows draws those
/// that have changed. For the differences between two states, see `ids`.
///
/// However many events there are, the list changes at most once per refresh interval.
@MainActor @Observable
public final class DownloadList {
    /// The manager.
    @ObservationIgnored public nonisolated let manager: DownloadManager
    /// The rows, in order.
    public private(set) var downloads: [ObservableDownload] = []
    /// The number of all downloads of the manager by state, and their speed.
    public private(set) var summary = DownloadSummary()
    /// True once the rows have been read for the first time.
    public private(set) var isLoaded = false
    /// The downloads that are shown.
    public var filter: DownloadFilter { didSet { if filter != oldValue { reload() } } }
    /// The order of the rows.
    public var order: Order { didSet { reload() } }
    /// The maximum number of rows; nil: no limit.
    ///
    /// With more matching downloads than that, those at the beginning of the manager's list are shown, or those at its
    /// end if the order is `reversed`; another order applies to them.
    public var limit: Int? { didSet { if limit != oldValue { reload() } } }

    @ObservationIgnored private var rows: [DownloadID: ObservableDownload] = [:]
    @ObservationIgnored private var needsReload = true
    /// Collects the events of the last call of `run`.
    @ObservationIgnored private var collector = EventCollector()
    /// The number of snapshots that are read at once: other calls of the manager wait that long.
    private static let page = 500

    /// The order of the rows.
    public enum Order: Sendable {
        /// The order of the manager's list, in which downloads start.
        case list
        /// The order of the manager's list, from its end.
        case reversed
        /// By a comparison, which returns true if the first one comes before the second one.
        case sorted(by: @Sendable (DownloadSnapshot, DownloadSnapshot) -> Bool)
    }

    private var isReversed: Bool {
        switch order {
        case .reversed: true
        case .list, .sorted: false
        }
    }

    /// Creates a list, which is empty until `run` is called.
    public init(
        _ manager: DownloadManager, filter: DownloadFilter = .all, order: Order = .list, limit: Int? = 1_000
    ) {
        (self.manager, self.filter, self.order, self.limit) = (manager, filter, order, limit)
    }

    /// The identities of the rows, in order, for diffable data sources.
    ///
    /// `list.ids.difference(from: oldIDs)` returns the insertions and removals.
    public var ids: [DownloadID] { downloads.map(\.id) }

    /// The row of a download; nil if it is not shown.
    public subscript(id: DownloadID) -> ObservableDownload? {
        _ = downloads
        return rows[id]
    }

    /// Reads the list and keeps it up to date until the manager is closed or the task is cancelled.
    ///
    /// It can be called again, for example when a view appears again.
    ///
    /// - Parameter refreshInterval: The minimum time between two changes; by default that of a screen with 60 Hz.
    /// - Throws: `CancellationError` if the task is cancelled, `DownloadError` if the list can't be read.
    public func run(refreshInterval: Duration = .screenRefresh) async throws {
        try await run(refreshInterval: refreshInterval, clock: ContinuousClock())
    }

    func run(refreshInterval: Duration, clock: some Clock<Duration>) async throws {
        let collector = EventCollector()
        self.collector = collector
        reload()
        // Everything that happens after this number is replayed, so nothing is missed between reading and following.
        let events = manager.events(since: manager.lastEventNumber)
        try await collector.collect(events, every: refreshInterval, clock) { batch in try await self.apply(batch) }
    }

    private func reload() {
        needsReload = true
        collector.notify()
    }

    /// Brings the list up to date.
    ///
    /// Everything is read first: from the first change to the last one nothing is awaited, so that no view is drawn
    /// between them.
    func apply(_ batch: EventBatch) async throws {
        do {
            let summary = try await manager.summary()
            if needsReload || mustReload(batch) {
                try await readAll(batch)
            } else {
                try await read(batch)
            }
            // Together with the rows, so that a view never sees one without the other.
            if self.summary != summary { self.summary = summary }
            if !isLoaded { isLoaded = true }
        } catch let error as DownloadError where error.code == .notPossible {
            // The manager was closed: the events end.
            for (id, progress) in batch.progress { rows[id]?.update(progress) }
            for (id, state) in batch.states { rows[id]?.update(state) }
        }
    }

    /// Returns true if a row may appear at a place that only the whole list shows.
    private func mustReload(_ batch: EventBatch) -> Bool {
        if !batch.moved.isEmpty || batch.changed.count > Self.page { return true }
        let isFull = limit.map { downloads.count >= $0 } ?? false
        if isFull, batch.removed.contains(where: { rows[$0] != nil }) { return true }
        // The list may have been read after downloads were added whose events come only now: not all of them are its first.
        if isFull, isReversed, !batch.added.isEmpty { return true }
        return false
    }

    // MARK: - Reading

    private func readAll(_ batch: EventBatch) async throws {
        needsReload = false
        var snapshots: [DownloadSnapshot] = []
        while snapshots.count < limit ?? .max {
            let count = min(Self.page, (limit ?? .max) - snapshots.count)
            let page = try await manager.snapshots(
                filter, after: snapshots.last?.id, limit: count, isReversed: isReversed)
            // A download that moved meanwhile may come twice.
            snapshots += page
            if page.count < count { break }
        }
        var seen: Set<DownloadID> = []
        for id in batch.removed { rows[id]?.isRemoved = true }
        show(snapshots.filter { seen.insert($0.id).inserted })
    }

    private func read(_ batch: EventBatch) async throws {
        var found: [DownloadSnapshot] = []
        if !batch.changed.isEmpty {
            var filter = filter
            filter.ids = filter.ids?.intersection(batch.changed) ?? batch.changed
            found = try await manager.snapshots(filter, limit: batch.changed.count)
        }
        let updated = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        var kept = downloads.map(\.id).filter {
            !batch.removed.contains($0) && (!batch.changed.contains($0) || updated[$0] != nil)
        }
        let appearing = found.map(\.id).filter { rows[$0] == nil }
        // Those that were just added are the last ones of the list; others may be anywhere.
        guard appearing.allSatisfy({ batch.added.contains($0) }) else { return try await readAll(batch) }
        if isReversed {
            kept.insert(contentsOf: appearing.reversed(), at: 0)
        } else {
            kept += appearing
        }
        // One that no longer matches makes room for another one.
        if !batch.changed.isEmpty, let limit, downloads.count >= limit, kept.count < limit {
            return try await readAll(batch)
        }
        // A snapshot that was just read has the newest progress.
        for (id, progress) in batch.progress where updated[id] == nil { rows[id]?.update(progress) }
        if batch.changed.isEmpty, batch.removed.isEmpty, !order.isComparison { return }
        for id in batch.removed { rows[id]?.isRemoved = true }
        show(kept.compactMap { updated[$0] ?? rows[$0]?.snapshot }.prefix(limit ?? .max))
    }

    /// Shows these downloads; rows that exist are kept.
    private func show(_ snapshots: some Collection<DownloadSnapshot>) {
        var ordered = Array(snapshots)
        if case .sorted(let isBefore) = order { ordered.sort(by: isBefore) }
        var next: [DownloadID: ObservableDownload] = [:]
        let result = ordered.map { snapshot in
            let row =
                rows[snapshot.id] ?? ObservableDownload(Download(id: snapshot.id, manager: manager), snapshot)
            row.update(snapshot)
            next[snapshot.id] = row
            return row
        }
        rows = next
        if !result.elementsEqual(downloads, by: ===) { downloads = result }
    }
}

extension DownloadList.Order {
    /// True if progress may change the order.
    fileprivate var isComparison: Bool {
        switch self {
        case .sorted: true
        case .list, .reversed: false
        }
    }
}
