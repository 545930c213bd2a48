public import HaulCore

/// Commands for all downloads that match a filter.
///
/// Downloads in a state that the command does not apply to are skipped. Each method returns the number of changed
/// downloads once the command is complete.
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
