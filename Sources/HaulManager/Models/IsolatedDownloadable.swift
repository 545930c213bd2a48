public import HaulCore

/// A type of the application that can be downloaded, and belongs to one actor or is not `Sendable`: a view model of the
/// main actor, an object of a database.
///
///     @MainActor @Observable
///     final class EpisodeModel: @MainActor IsolatedDownloadable {
///         var text = ""
///         var downloadSpec: DownloadSpec { ... }
///         func downloadDidChange(_ event: DownloadEvent) { text = ... }
///     }
///     try await model.download(with: manager)
///     // As long as it is to receive the events, for example in SwiftUI's `task` modifier:
///     try await model.follow(in: manager)
///
/// All methods run on the actor of the caller. Types that are `Sendable` can conform to `Downloadable` instead, and
/// need no task to receive events.
public protocol IsolatedDownloadable {
    /// The spec of the download; it must be the same each time.
    var downloadSpec: DownloadSpec { get }

    /// Called with each event of the download while `follow(in:)` runs, on the actor that it was called from.
    ///
    /// The default implementation does nothing.
    func downloadDidChange(_ event: DownloadEvent)
}

extension IsolatedDownloadable {
    /// Does nothing.
    public func downloadDidChange(_ event: DownloadEvent) {}

    /// Passes the events of the download to this model, beginning with a snapshot, until the download is removed, the
    /// manager is closed or the task is cancelled; does nothing if there is no download.
    ///
    /// State events come once and in order; of progress, only the newest is delivered.
    ///
    /// - Throws: `CancellationError` if the task is cancelled, `DownloadError` if the list can't be read.
    public func follow(in manager: DownloadManager) async throws {
        guard let download = try await currentDownload(in: manager) else { return }
        var events = download.events.makeAsyncIterator()
        while let event = try await events.next(isolation: #isolation) { downloadDidChange(event) }
        if let failure = events.failure { throw failure }
    }

    /// Adds the download of this model, or resumes the existing one.
    ///
    /// The model receives its events while `follow(in:)` runs.
    @discardableResult
    public func download(with manager: DownloadManager) async throws(DownloadError) -> Download {
        try await manager.add(downloadSpec)
    }

    /// Starts the download if its file neither exists nor is being downloaded; otherwise removes the download and its
    /// files.
    ///
    /// If another download must finish first, and has failed or was stopped, that one is started, too.
    ///
    /// - Returns: True if the file exists or is being downloaded afterwards.
    @discardableResult
    public func toggleDownload(with manager: DownloadManager) async throws(DownloadError) -> Bool {
        guard try await isUnwanted(in: manager) else { return false }
        try await download(with: manager)
        try await startAwaited(in: manager)
        return true
    }

    /// Starts the download that this one waits for, directly or through others, unless it continues by itself.
    func startAwaited(in manager: DownloadManager) async throws(DownloadError) {
        guard let state = await downloadState(in: manager) else { return }
        let last = await manager.lastAwaited(from: state)
        guard let id = last.id, !last.state.continuesByItself else { return }
        switch last.state {
        case .paused: try await manager.resume(id)
        case .waiting, .failed, .cancelled: try await manager.retry(id)
        case .running, .finished: break
        }
    }

    /// Removes the download and its files if there are any; returns true if there were none.
    func isUnwanted(in manager: DownloadManager) async throws(DownloadError) -> Bool {
        if await isDownloaded(in: manager) {
            try await undownload(from: manager)
            return false
        }
        if await isDownloading(in: manager) {
            try await undownload(from: manager)
            return false
        }
        return true
    }

    /// Returns the download of this model, or nil.
    public func currentDownload(in manager: DownloadManager) async throws(DownloadError) -> Download? {
        try await manager.download(key: manager.backend.key(of: downloadSpec))
    }

    /// Returns true if the download is finished and its file exists.
    public func isDownloaded(in manager: DownloadManager) async -> Bool { await downloadedPath(in: manager) != nil }

    /// Returns the path of the file if the download is finished and the file exists, else nil.
    public func downloadedPath(in manager: DownloadManager) async -> String? {
        guard case .finished(let facts)? = await downloadState(in: manager) else { return nil }
        return await manager.backend.fileExists(at: facts.path) ? facts.path : nil
    }

    /// Returns true if the download is running, or waiting for something that resolves without the caller.
    public func isDownloading(in manager: DownloadManager) async -> Bool {
        guard let state = await downloadState(in: manager) else { return false }
        let last = await manager.lastAwaited(from: state)
        if case .finished = last.state { return last.id != nil }
        return last.state.continuesByItself
    }

    /// Returns the state of the download; nil if there is none.
    public func downloadState(in manager: DownloadManager) async -> DownloadState? {
        guard let download = try? await currentDownload(in: manager) else { return nil }
        return try? await download.state
    }

    /// Removes the download, its partial file and its finished file.
    public func undownload(from manager: DownloadManager) async throws(DownloadError) {
        guard let download = try await currentDownload(in: manager) else { return }
        try await download.remove(files: .all)
    }
}

extension DownloadManager {
    /// Returns the last one of the downloads that must finish one after the other before a download in a state starts.
    ///
    /// The id is nil if that waits for none.
    fileprivate func lastAwaited(from state: DownloadState) async -> (id: DownloadID?, state: DownloadState) {
        var last: (id: DownloadID?, state: DownloadState) = (nil, state)
        var seen: Set<DownloadID> = []
        while case .waiting(.dependency(let other)) = last.state, seen.insert(other).inserted,
            let next = try? await snapshot(other)
        {
            last = (other, next.state)
        }
        return last
    }
}

extension DownloadState {
    /// True if a download in this state runs, or waits for something that resolves without the caller.
    fileprivate var continuesByItself: Bool {
        switch self {
        case .waiting(.linkExpired), .waiting(.credentials): false
        case .running, .waiting: true
        case .paused, .finished, .failed, .cancelled: false
        }
    }
}
