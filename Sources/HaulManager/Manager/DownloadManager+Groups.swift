public import HaulCore

/// Commands for all downloads that match a filter.
///
/// Downloads in a state that the command does not apply to are skipped. Each method returns the number of changed
/// downloads once the command is complete.
///
/// The command is carried out in portions, running downloads first, and other calls get their turn in between: they may
/// see a list of which a part has changed. A download that finishes before it can be stopped is not counted. If a
/// method throws, earlier portions stay changed. While downloads are paused, cancelled or removed, no other starts.
extension DownloadManager {
    /// Pauses the queued and running downloads.
    @discardableResult
    public func pause(_ filter: DownloadFilter) async throws(DownloadError) -> Int {
        try await backend.perform(.pause, on: filter)
    }

    /// Resumes the paused downloads.
    @discardableResult
    public func resume(_ filter: DownloadFilter) async throws(DownloadError) -> Int {
        try await backend.perform(.resume, on: filter)
    }

    /// Cancels the downloads that are not finished.
    @discardableResult
    public func cancel(_ filter: DownloadFilter, keepPartial: Bool = true) async throws(DownloadError) -> Int {
        try await backend.perform(.cancel(keepPartial: keepPartial), on: filter)
    }

    /// Removes the downloads, whatever their state.
    @discardableResult
    public func remove(_ filter: DownloadFilter, files: RemovedFiles = .partial) async throws(DownloadError) -> Int {
        try await backend.perform(.remove(files: files), on: filter)
    }

    /// Retries the failed and cancelled downloads.
    @discardableResult
    public func retry(_ filter: DownloadFilter, fromStart: Bool = false) async throws(DownloadError) -> Int {
        try await backend.perform(.retry(fromStart: fromStart), on: filter)
    }
}
