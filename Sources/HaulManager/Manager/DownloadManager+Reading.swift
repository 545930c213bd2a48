public import HaulCore

/// Queries.
extension DownloadManager {
    /// Returns the download with an identity, or nil.
    public func download(_ id: DownloadID) async throws(DownloadError) -> Download? { try await find(.id(id)) }

    /// Returns the download with a key, or nil.
    public func download(key: String) async throws(DownloadError) -> Download? { try await find(.key(key)) }

    /// Returns the first download of the list with a URL, or nil.
    ///
    /// There may be several with different destinations: see `DownloadFilter.urls`, also for what counts as the same
    /// URL. A search reads the URLs of all downloads; a look-up by key does not.
    public func download(url: String) async throws(DownloadError) -> Download? {
        guard let id = try await snapshots(.url(url), limit: 1).first?.id else { return nil }
        return Download(id: id, manager: self)
    }

    /// Returns the download at an index of the list, from 0, or nil.
    public func download(at index: Int) async throws(DownloadError) -> Download? { try await find(.index(index)) }

    private func find(_ locator: DownloadLocator) async throws(DownloadError) -> Download? {
        guard let id = try await backend.find(locator) else { return nil }
        return Download(id: id, manager: self)
    }

    /// Returns the current snapshot of a download.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload`.
    public func snapshot(_ id: DownloadID) async throws(DownloadError) -> DownloadSnapshot {
        try await backend.snapshot(id)
    }

    /// Returns a page of the downloads that match a filter, in the order of the list.
    ///
    /// - Parameters:
    ///   - after: The last download of the previous page; nil: start with the first one. If it has been removed
    ///     since, the page begins where it was; it is empty if the manager does not remember that any more.
    ///   - limit: The maximum number of snapshots, 0 or more; 100 unless it is given.
    ///   - isReversed: True to begin at the end of the list.
    /// - Throws: `DownloadError` with code `invalidRequest` if the limit is negative.
    public func snapshots(
        _ filter: DownloadFilter = .all, after: DownloadID? = nil, limit: Int = 100, isReversed: Bool = false
    ) async throws(DownloadError) -> [DownloadSnapshot] {
        guard limit >= 0 else { throw .negativeLimit(limit) }
        return try await backend.snapshots(filter, after: after, limit: limit, isReversed: isReversed)
    }

    /// Returns the number of downloads that match a filter.
    public func count(_ filter: DownloadFilter = .all) async throws(DownloadError) -> Int {
        try await backend.count(filter)
    }

    /// Returns the number of downloads by state, and their total speed and connections.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the manager is closed.
    public func summary() async throws(DownloadError) -> DownloadSummary {
        try open()
        return await backend.summary()
    }

    /// The summary, again after each change; only the newest is kept for a slow reader.
    public var summaries: DownloadSummaries { DownloadSummaries(manager: self) }

    /// The events of all downloads.
    ///
    /// - Parameter since: The number of the last event that the caller has seen; every later state event is replayed,
    ///   including those of earlier launches. If events that old are no longer kept, the subscription begins as with
    ///   nil: with snapshots of the running downloads, followed by new events; `snapshots(_:)` returns the other
    ///   downloads.
    public func events(since: Int64? = nil) -> DownloadEvents {
        DownloadEvents(manager: self, download: nil, since: since)
    }

    /// The events since this program last read them, followed by new ones; every state event once.
    ///
    /// An event counts as seen when the next one is requested. In the background mode, this is remembered across exits,
    /// crashes and kills of the program: only an event whose handling was interrupted is delivered again. In this
    /// process, it begins when the manager is opened.
    public var unseenEvents: DownloadEvents { DownloadEvents(manager: self, download: nil, since: nil, isUnseen: true) }

    /// The events since this program last read them; the sequence ends at the present.
    ///
    /// See `unseenEvents`.
    public var missedEvents: DownloadEvents {
        DownloadEvents(manager: self, download: nil, since: nil, isUnseen: true, endsAtPresent: true)
    }

    /// The number of the last state event, for `events(since:)`.
    public var lastEventNumber: Int64 { backend.hub.last }

    /// Returns the downloads with one of these tags that were removed by an event after a number.
    ///
    /// Empty in the background mode: only the daemon can tell, and a program cannot ask it.
    package func removed(
        withOneOf tags: Set<String>, after number: Int64
    ) async throws(DownloadError) -> Set<DownloadID> {
        try await backend.removed(withOneOf: tags, after: number)
    }

    /// The downloads that others wait for; empty in the background mode, in which the daemon looks after the list.
    package var awaited: Set<DownloadID> {
        get async throws(DownloadError) { try await backend.awaited }
    }

    /// The number of the oldest event that is kept; nil if there is none.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the manager is closed.
    public var firstEventNumber: Int64? {
        get async throws(DownloadError) {
            try open()
            return await backend.firstEventNumber
        }
    }

    /// Returns the segments of a running download; empty if it is not running.
    ///
    /// They cover the whole file without overlap, and are at most a tenth of a second old.
    public func segments(_ id: DownloadID) async throws(DownloadError) -> [DownloadSegment] {
        try await backend.segments(id)
    }

    /// The current settings.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the manager is closed.
    public var currentSettings: ManagerSettings {
        get async throws(DownloadError) {
            try open()
            return await backend.currentSettings
        }
    }

    /// Applies new settings at once.
    ///
    /// A lower limit does not stop downloads that are running.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if a number is invalid; nothing has changed then.
    public func update(_ settings: ManagerSettings) async throws(DownloadError) {
        try settings.check()
        try await backend.update(settings)
    }

    /// Returns what limits a running download, or limited its last run; nil if it has not run lately.
    ///
    /// The last 32 runs that ended are remembered until the manager is closed.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the manager is closed.
    public func explanation(_ id: DownloadID) async throws(DownloadError) -> Explanation? {
        try open()
        return await backend.explanation(id)
    }

    /// Waits until nothing is running or due to start; returns at once if that is so already, or when the task is
    /// cancelled.
    public func idle() async { await backend.idle() }
}

extension DownloadError {
    /// The error for a negative number of snapshots.
    static func negativeLimit(_ limit: Int) -> DownloadError {
        DownloadError(.invalidRequest, "limit must be 0 or more, not \(limit)")
    }
}

extension Download {
    /// See `DownloadManager.explanation(_:)`.
    public var explanation: Explanation? {
        get async throws(DownloadError) { try await manager.explanation(id) }
    }
}

/// The events for a subscriber that needs older ones than the hub holds.
package enum ManagerReplay: Sendable {
    /// These events; they are complete up to this number.
    case events([DownloadEvent], upTo: Int64)
    /// The present state in place of events that are no longer kept; later events follow after this number.
    case skipped([DownloadEvent], upTo: Int64)
    /// The download does not exist, and never will: identities are not reused.
    case gone(upTo: Int64)
    /// The list can't be read.
    case unreadable(DownloadError)
}
