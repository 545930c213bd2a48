public import HaulCore

/// What can be asked of all downloads, of a group, or of any others that a filter finds.
///
/// Those that it does not fit are passed over. Each returns when it is done, and says how many changed.
extension DownloadManager {
    /// Pauses those that wait or run.
    @discardableResult
    public func pause(_ filter: DownloadFilter) async throws(DownloadError) -> Int {
        try await ask(filter, of: [.queued, .active], .pause)
    }

    /// Resumes those that are paused.
    @discardableResult
    public func resume(_ filter: DownloadFilter) async throws(DownloadError) -> Int {
        try await ask(filter, of: [.paused], .resume)
    }

    /// Cancels those that are not finished.
    @discardableResult
    public func cancel(_ filter: DownloadFilter, keepPartial: Bool = true) async throws(DownloadError) -> Int {
        let states: [StoredState] = [.queued, .active, .paused, .held, .failed]
        return try await ask(
            filter, of: keepPartial ? states : states + [.cancelled], .cancel(keepPartial: keepPartial))
    }

    /// Removes them all, whatever they do.
    @discardableResult
    public func remove(_ filter: DownloadFilter, files: RemovedFiles = .partial) async throws(DownloadError) -> Int {
        try await ask(filter, of: StoredState.allCases, .remove(files))
    }

    /// Tries those again that have failed or were cancelled.
    @discardableResult
    public func retry(_ filter: DownloadFilter, fromStart: Bool = false) async throws(DownloadError) -> Int {
        try await ask(filter, of: [.failed, .cancelled], .retry(fromStart: fromStart))
    }

    private func ask(
        _ filter: DownloadFilter, of states: [StoredState], _ command: Lifecycle.Command
    ) async throws(DownloadError) -> Int {
        // One whose files are just being removed takes no command until they are gone.
        for id in live.keys.sorted() { await unoccupied(id) }
        let changed = try self.command(filter, of: states, command)
        for id in changed where live[id] != nil { await settled(id) }
        return changed.count
    }
}
