public import HaulCore

/// A model of the caller's own that can be downloaded: an episode, a map, a document.
///
/// Saying what to fetch and where to is all that it takes:
///
///     struct Episode: Downloadable {
///         let url: String
///         var downloadSpec: DownloadSpec { DownloadSpec(url: url, destination: .hashed(folder: "Episodes")) }
///     }
///     try await episode.download(with: manager)
///     if await episode.isDownloaded(in: manager) { ... }
///
/// Two models with the same key (see `DownloadSpec.key`) share one download.
public protocol Downloadable: Sendable {
    /// What to fetch and where to; the same each time that it is asked.
    var downloadSpec: DownloadSpec { get }

    /// Hears what happens to its download, before any subscriber and any hook command does.
    ///
    /// Called on the manager's own thread, which waits for it: be quick. By default it does nothing. A model that is an object is not
    /// kept alive for it.
    func downloadDidChange(_ event: DownloadEvent)
}

extension Downloadable {
    /// Does nothing.
    public func downloadDidChange(_ event: DownloadEvent) {}
}

extension Downloadable {
    /// Downloads it: adds it, or goes on with the download that it has, and binds it (see `bind(to:)`), so that it misses nothing.
    @discardableResult
    public func download(with manager: DownloadManager) async throws(DownloadError) -> Download {
        try await manager.add(model: self)
    }

    /// Its download, or nil.
    public func currentDownload(in manager: DownloadManager) async throws(DownloadError) -> Download? {
        try await manager.download(key: downloadSpec.key ?? downloadSpec.canonicalKey)
    }

    /// Has `downloadDidChange(_:)` called for its download, as after a relaunch; does nothing where there is none.
    ///
    /// Any number of objects can be bound to one download; of values the last one of each type.
    public func bind(to manager: DownloadManager) async throws(DownloadError) {
        guard let download = try await currentDownload(in: manager) else { return }
        await manager.backend.bind(self, to: download.id)
    }

    /// Whether it is finished and its file is there, both.
    public func isDownloaded(in manager: DownloadManager) async -> Bool { await downloadedPath(in: manager) != nil }

    /// The path of its file where it is finished and the file is there, else nil.
    public func downloadedPath(in manager: DownloadManager) async -> String? {
        guard case .finished(let facts)? = await downloadState(in: manager) else { return nil }
        return await manager.backend.fileExists(at: facts.path) ? facts.path : nil
    }

    /// Whether it is on its way: at work, or waiting and going on by itself.
    public func isDownloading(in manager: DownloadManager) async -> Bool {
        switch await downloadState(in: manager) {
        // These come from the caller alone.
        case .waiting(.linkExpired)?, .waiting(.credentials)?: false
        case .running?, .waiting?: true
        case .paused?, .finished?, .failed?, .cancelled?, nil: false
        }
    }

    /// Where its download stands; nil where it has none.
    public func downloadState(in manager: DownloadManager) async -> DownloadState? {
        guard let download = try? await currentDownload(in: manager) else { return nil }
        return try? await download.state
    }

    /// Undoes its download: stops it, and removes record, partial and file.
    public func undownload(from manager: DownloadManager) async throws(DownloadError) {
        guard let download = try await currentDownload(in: manager) else { return }
        try await download.remove(files: .all)
    }

    /// Downloads it where it is neither there nor on its way, undoes it otherwise.
    ///
    /// - Returns: whether it is downloaded or on its way now.
    @discardableResult
    public func toggleDownload(with manager: DownloadManager) async throws(DownloadError) -> Bool {
        if await isDownloaded(in: manager) {
            try await undownload(from: manager)
            return false
        }
        if await isDownloading(in: manager) {
            try await undownload(from: manager)
            return false
        }
        try await download(with: manager)
        return true
    }
}
