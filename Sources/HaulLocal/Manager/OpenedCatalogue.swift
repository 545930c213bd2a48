import HaulCore
import HaulLibC
import HaulManager
import HaulStore

/// An opened catalogue with its queue, in which interrupted downloads come first.
struct OpenedCatalogue: Sendable {
    let catalogue: Catalogue
    let scheduler: Scheduler
    let dependencies: Dependencies
    let hasDependencies: Bool
    let counts: [StoredState: Int]
    let lastEvent: Int64
    /// The downloads whose files the last process should have removed.
    let leftovers: [Leftover]

    /// The downloads of the queue whose request must not be sent again by itself.
    let unrepeatable: Set<DownloadID>

    /// Opens the catalogue; blocks.
    init(_ configuration: ManagerConfiguration, resumes: Bool) throws(DownloadError) {
        let clock = configuration.clock
        catalogue = try Catalogue.open(CatalogueLocation(configuration.storage))
        try catalogue.resolve(configuration.bases)
        leftovers = try catalogue.emitPendingTerminalEvents(resumes: resumes, time: clock.milliseconds())
        unrepeatable = try catalogue.unrepeatable()
        var scheduler = Scheduler(SchedulerConfiguration(configuration.settings))
        let removed = Set(leftovers.map(\.record.id))
        if !resumes { try Self.pauseAll(catalogue, except: removed, clock.milliseconds()) }
        hasDependencies = try catalogue.hasDependencies
        let blockers = try hasDependencies ? Dictionary(grouping: catalogue.blockers(), by: \.download) : [:]
        var dependencies = Dependencies()
        var interrupted: [DownloadID] = []
        try catalogue.queueEntries { row in
            if removed.contains(row.id) { return }
            if let others = blockers[row.id] {
                dependencies.add(row.id, after: Set(others.map(\.after)))
            } else {
                scheduler.add(QueueEntry(row))
            }
            if row.wasActive { interrupted.append(row.id) }
        }
        (self.scheduler, self.dependencies) = (scheduler, dependencies)
        // From here on, "active" in the catalogue means that this process runs the download.
        let now = clock.milliseconds()
        try catalogue.apply(interrupted.map { RecordChange($0, .state(.queued, time: now)) }, events: [])
        counts = try catalogue.counts()
        lastEvent = catalogue.lastEvent
    }

    /// Pauses all queued and interrupted downloads.
    ///
    /// - Parameter removed: The downloads that are being removed.
    private static func pauseAll(
        _ catalogue: Catalogue, except removed: Set<DownloadID>, _ now: Int64
    ) throws(DownloadError) {
        let due = try catalogue.ids(StoredFilter(states: [.queued, .active])).filter { !removed.contains($0) }
        for ids in due.chunks(of: 5000) {
            var number = catalogue.lastEvent
            let events = ids.map { id in
                number += 1
                return DownloadEvent(number: number, download: id, time: now.date, kind: .paused(.relaunch))
            }
            try catalogue.apply(ids.map { RecordChange($0, .state(.paused(.relaunch), time: now)) }, events: events)
        }
    }
}

extension CatalogueLocation {
    /// Converts a manager's storage setting.
    init(_ storage: ManagerConfiguration.Storage) {
        switch storage {
        case .inMemory: self = .inMemory
        case .file(let path): self = .file(path: path)
        }
    }
}

extension Array {
    /// Returns the elements in chunks of at most this size.
    func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}
