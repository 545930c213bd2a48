public import HaulCore
import HaulStore

/// What a manager knows.
extension DownloadManager {
    /// The download with an identity, or nil.
    public func download(_ id: DownloadID) async throws(DownloadError) -> Download? { try await find(.id(id)) }

    /// The download with a key, or nil.
    public func download(key: String) async throws(DownloadError) -> Download? { try await find(.key(key)) }

    /// The download at a place in the list, 0 first, or nil.
    public func download(at index: Int) async throws(DownloadError) -> Download? { try await find(.index(index)) }

    private func find(_ locator: DownloadLocator) async throws(DownloadError) -> Download? {
        guard let id = try await backend.find(locator) else { return nil }
        return Download(id: id, manager: self)
    }

    /// All that is known of one download now.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload`.
    public func snapshot(_ id: DownloadID) async throws(DownloadError) -> DownloadSnapshot {
        try await backend.snapshot(id)
    }

    /// Those that pass a filter, in the order of the list, a page at a time.
    ///
    /// - Parameters:
    ///   - after: The last one of the page before; nil: from the start. One that was removed meanwhile ends the list.
    ///   - limit: How many at most.
    ///   - isReversed: Whether the last one of the list comes first.
    public func snapshots(
        _ filter: DownloadFilter = .all, after: DownloadID? = nil, limit: Int = 100, isReversed: Bool = false
    ) async throws(DownloadError) -> [DownloadSnapshot] {
        try await backend.snapshots(filter, after: after, limit: limit, isReversed: isReversed)
    }

    /// How many pass a filter.
    public func count(_ filter: DownloadFilter = .all) async throws(DownloadError) -> Int {
        try await backend.count(filter)
    }

    /// How many stand where, and what they do together.
    public func summary() async -> DownloadSummary { await backend.summary() }

    /// The summary, again each time that it changes; the newest wins.
    public var summaries: DownloadSummaries { DownloadSummaries(manager: self) }

    /// What happens.
    ///
    /// - Parameter since: The number of the last event that the caller knows: every state event after it is replayed, also those of
    ///   earlier launches. Where so old ones are not kept any more, the subscription begins as with nil: what runs at present comes
    ///   first, as snapshots, and then what happens from now on; `snapshots(_:)` tells what else there is.
    public func events(since: Int64? = nil) -> DownloadEvents {
        DownloadEvents(manager: self, download: nil, since: since)
    }

    /// What happened since this program last looked, and what happens from now on: every state event once.
    ///
    /// An event counts as seen when the next one is asked for. In the background mode that is remembered over exits, crashes and kills of
    /// the program: only an event whose handling was cut short is told again. In this process it begins when the manager is opened.
    public var unseenEvents: DownloadEvents { DownloadEvents(manager: self, download: nil, since: nil, isUnseen: true) }

    /// What happened since this program last looked, up to the present, where it ends.
    ///
    /// See `unseenEvents`.
    public var missedEvents: DownloadEvents {
        DownloadEvents(manager: self, download: nil, since: nil, isUnseen: true, endsAtPresent: true)
    }

    /// The number of the last state event: what `events(since:)` goes on from.
    public var lastEventNumber: Int64 { backend.hub.last }

    /// The downloads with one of these tags that were removed by an event behind a number.
    ///
    /// In the background mode the daemon knows, and a program is not told.
    package func removed(
        withOneOf tags: Set<String>, after number: Int64
    ) async throws(DownloadError) -> Set<DownloadID> {
        try await backend.removed(withOneOf: tags, after: number)
    }

    /// The number of the oldest event that is kept; nil where none is.
    public var firstEventNumber: Int64? {
        get async { await backend.firstEventNumber }
    }

    /// The parts of the file that a run of a download works on, or worked on last; empty where it has not run lately.
    ///
    /// They tile the file, and are as of the last tenth of a second.
    public func segments(_ id: DownloadID) async throws(DownloadError) -> [DownloadSegment] {
        try await backend.segments(id)
    }

    /// The settings at work.
    public var currentSettings: ManagerSettings {
        get async { await backend.currentSettings }
    }

    /// Changes what can be changed while it works, at once.
    ///
    /// A lower limit stops nobody who is at work.
    public func update(_ settings: ManagerSettings) async throws(DownloadError) { try await backend.update(settings) }

    /// What limits a download that runs, or limited the last run of it; nil where it has not run lately.
    ///
    /// The last 32 runs that ended are remembered, until the manager is closed.
    public func explanation(_ id: DownloadID) async -> Explanation? { await backend.explanation(id) }

    /// Returns when nothing runs and nothing will by itself; at once where it is so already, or when the task is cancelled.
    public func idle() async { await backend.idle() }
}

extension Download {
    /// See `DownloadManager.explanation(_:)`.
    public var explanation: Explanation? {
        get async { await manager.explanation(id) }
    }
}

extension StoredFilter {
    /// A public filter in the catalogue's words.
    init(_ filter: DownloadFilter) {
        self.init(
            filter, states: filter.states.map { kinds in Set(StoredState.allCases.filter { kinds.contains($0.kind) }) })
    }
}

extension CatalogueLocation {
    /// Where a manager's list is kept.
    init(_ storage: ManagerConfiguration.Storage) {
        switch storage {
        case .inMemory: self = .inMemory
        case .file(let path): self = .file(path: path)
        }
    }
}

extension Array {
    /// The elements in groups of so many.
    func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map { self[$0..<Swift.min($0 + count, self.count)] }
    }
}

/// The events for a subscriber that does not find them in the hub.
package enum ManagerReplay: Sendable {
    /// These, and they are all up to this number.
    case events([DownloadEvent], upTo: Int64)
    /// The download does not exist, and never will: identities are not reused.
    case gone(upTo: Int64)
    /// The list can't be read any more.
    case unreadable
}
