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
/// Types that belong to an actor, or are not `Sendable`, conform to `IsolatedDownloadable` instead.
///
/// Two models with the same key (see `DownloadSpec.key`) share one download. A relative path in the spec stands for
/// another file, and another download, in each working folder.
public protocol Downloadable: IsolatedDownloadable, Sendable {
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

    /// Binds this model to its download, so that `downloadDidChange(_:)` is called, for example after a relaunch; does
    /// nothing if there is none.
    ///
    /// The model receives the events that come from then on, and no snapshot: `downloadState(in:)` returns the present
    /// state. Any number of objects can be bound to one download, but only one value of each type: the last one.
    public func bind(to manager: DownloadManager) async throws(DownloadError) {
        guard let download = try await currentDownload(in: manager) else { return }
        await manager.backend.bind(self, to: download.id)
    }

    /// Starts the download if its file neither exists nor is being downloaded, and binds the model to it; otherwise
    /// removes the download and its files.
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
}
