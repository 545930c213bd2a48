public import HaulCore

/// What can be asked of all downloads, of a group, or of any others that a filter finds.
///
/// Those that it does not fit are passed over. Each returns when it is done, and says how many changed.
extension DownloadManager {
    /// Pauses those that wait or run.
    @discardableResult
    public func pause(_ filter: DownloadFilter) async throws(DownloadError) -> Int {
        try await backend.perform(.pause, on: filter)
    }

    /// Resumes those that are paused.
    @discardableResult
    public func resume(_ filter: DownloadFilter) async throws(DownloadError) -> Int {
        try await backend.perform(.resume, on: filter)
    }

    /// Cancels those that are not finished.
    @discardableResult
    public func cancel(_ filter: DownloadFilter, keepPartial: Bool = true) async throws(DownloadError) -> Int {
        try await backend.perform(.cancel(keepPartial: keepPartial), on: filter)
    }

    /// Removes them all, whatever they do.
    @discardableResult
    public func remove(_ filter: DownloadFilter, files: RemovedFiles = .partial) async throws(DownloadError) -> Int {
        try await backend.perform(.remove(files: files), on: filter)
    }

    /// Tries those again that have failed or were cancelled.
    @discardableResult
    public func retry(_ filter: DownloadFilter, fromStart: Bool = false) async throws(DownloadError) -> Int {
        try await backend.perform(.retry(fromStart: fromStart), on: filter)
    }
}
