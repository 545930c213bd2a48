public import HaulCore

/// A type of the application that can be downloaded: an episode, a map, a document.
///
/// The only requirement is a spec that says what to fetch, and where to save it:
///
///     struct Episode: Downloadable {
///         let url: String
///         var downloadSpec: DownloadSpec { DownloadSpec(url: url, destination: .hashed(folder: "/srv/episodes")) }
///     }
///     try await episode.download(with: manager)
///     if await episode.isDownloaded(in: manager) { ... }
///
/// Two models with the same key (see `DownloadSpec.key`) share one download. A relative path in the spec stands for
/// another file, and another download, in each working folder.
public protocol Downloadable: Sendable {
    /// The spec of the download; it must be the same each time.
    var downloadSpec: DownloadSpec { get }

    /// Called with each event of the download, before any subscriber or hook command gets it.
    ///
    /// Called on the manager's own thread, which waits for it, so it must be quick. The default implementation does
    /// nothing. A model that is an object is not retained for this.
    func downloadDidChange(_ event: DownloadEvent)
}

extension Downloadable {
    /// Does nothing.
    public func downloadDidChange(_ event: DownloadEvent) {}
}

extension Downloadable {
    /// Adds the download of this model, or resumes the existing one, and binds the model to it (see `bind(to:)`) before
    /// the first event.
    @discardableResult
    public func download(with manager: DownloadManager) async throws(DownloadError) -> Download {
        try await manager.add(model: self)
    }

    /// Returns the download of this model, or nil.
    public func currentDownload(in manager: DownloadManager) async throws(DownloadError) -> Download? {
        try await manager.download(key: manager.backend.key(of: downloadSpec))
    }

    /// Binds this model to its download, so that `downloadDidChange(_:)` is called, for example after a relaunch; does
    /// nothing if there is none.
    ///
    /// Any number of objects can be bound to one download, but only one value of each type: the last one.
    public func bind(to manager: DownloadManager) async throws(DownloadError) {
        guard let download = try await currentDownload(in: manager) else { return }
        await manager.backend.bind(self, to: download.id)
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
        switch await downloadState(in: manager) {
        // These need action from the caller.
        case .waiting(.linkExpired)?, .waiting(.credentials)?: false
        case .running?, .waiting?: true
        case .paused?, .finished?, .failed?, .cancelled?, nil: false
        }
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

    /// Starts the download if its file neither exists nor is being downloaded; otherwise removes the download and its
    /// files.
    ///
    /// - Returns: True if the file exists or is being downloaded afterwards.
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
