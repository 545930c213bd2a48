public import HaulCore
public import HaulManager
public import Observation

/// A download for a user interface: an object on the main actor whose properties are observed.
///
///     let row = try await ObservableDownload(download)
///     // While the view is visible, for example in SwiftUI's `task` modifier:
///     try await row.run()
///
/// A row of a `DownloadList` is kept up to date by the list.
@MainActor @Observable
public final class ObservableDownload: Identifiable {
    /// The download, for commands.
    @ObservationIgnored public nonisolated let download: Download
    /// The last known state of everything.
    public internal(set) var snapshot: DownloadSnapshot
    /// True once the download was removed from the list; the snapshot stays as it was.
    public internal(set) var isRemoved = false

    /// The identity in the manager's list.
    public nonisolated var id: DownloadID { download.id }
    /// The state, with the reason for every wait and pause.
    public var state: DownloadState { snapshot.state }
    /// The progress.
    public var progress: TransferProgress { snapshot.progress }
    /// The fraction received, 0 to 1: 1 for a finished download, nil if the size is unknown.
    public var fraction: Double? { if case .finished = state { 1 } else { progress.fraction } }
    /// The path of the file; nil until it is known.
    public var path: String? { snapshot.path }
    /// The name of the file, or the URL until it is known.
    public var title: String {
        guard let path, let name = path.split(separator: "/").last else { return snapshot.spec.url }
        return String(name)
    }

    /// Creates the object for a download of a manager.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload`, or any that reading the list may end with.
    public convenience init(_ download: Download) async throws(DownloadError) {
        self.init(download, try await download.snapshot)
    }

    /// Creates the object for a download with a known snapshot.
    init(_ download: Download, _ snapshot: DownloadSnapshot) {
        (self.download, self.snapshot) = (download, snapshot)
    }

    /// Follows the download until it is removed, the manager is closed, or the task is cancelled.
    ///
    /// - Parameter refreshInterval: The minimum time between two changes; by default that of a screen with 60 Hz.
    /// - Throws: `CancellationError` if the task is cancelled, `DownloadError` if the list can't be read.
    public func run(refreshInterval: Duration = .screenRefresh) async throws {
        try await run(refreshInterval: refreshInterval, clock: ContinuousClock())
    }

    func run(refreshInterval: Duration, clock: some Clock<Duration>) async throws {
        try await EventCollector().collect(download.events, every: refreshInterval, clock) { batch in
            try await self.apply(batch)
        }
    }

    func apply(_ batch: EventBatch) async throws {
        if batch.removed.contains(id) { return isRemoved = true }
        guard batch.changed.contains(id) else {
            if let progress = batch.progress[id] { update(progress) }
            return
        }
        // The snapshot has the newest progress: together with the state that belongs to it.
        do throws(DownloadError) {
            update(try await download.snapshot)
        } catch {
            switch error.code {
            case .noSuchDownload: isRemoved = true
            // The manager was closed: the events end.
            case .notPossible:
                if let progress = batch.progress[id] { update(progress) }
                if let state = batch.states[id] { update(state) }
            default: throw error
            }
        }
    }

    /// Sets a new snapshot; observers are told only of a difference.
    func update(_ snapshot: DownloadSnapshot) {
        if self.snapshot != snapshot { self.snapshot = snapshot }
    }

    /// Sets the state that an event reported.
    func update(_ state: DownloadState) {
        var snapshot = snapshot
        snapshot.state = state
        if case .finished(let facts) = state {
            snapshot.path = facts.path
            (snapshot.progress.fileBytes, snapshot.progress.totalBytes) = (facts.totalBytes, facts.totalBytes)
        }
        update(snapshot)
    }

    /// Sets newer progress of the same state.
    func update(_ progress: TransferProgress) {
        if snapshot.progress != progress { snapshot.progress = progress }
    }
}

extension Duration {
    /// The refresh interval of a screen with 60 Hz.
    public static var screenRefresh: Duration { .nanoseconds(16_666_667) }
}
