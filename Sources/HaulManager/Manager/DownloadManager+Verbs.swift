public import HaulCore

/// Commands for one download.
///
/// Each method returns when the command is complete: a pause when everything is saved, a cancellation or removal when
/// the files have been deleted. Cancelling the waiting task does not affect the download. A command that does not fit
/// the state of the download throws `notPossible`; one without effect succeeds.
extension DownloadManager {
    /// Pauses a download; everything downloaded so far is kept (guarantee: nothing lost).
    public func pause(_ id: DownloadID) async throws(DownloadError) { try await backend.perform(.pause, on: id) }

    /// Resumes a paused download as soon as its turn comes.
    public func resume(_ id: DownloadID) async throws(DownloadError) { try await backend.perform(.resume, on: id) }

    /// Cancels a download; its record stays in the list.
    ///
    /// - Parameter keepPartial: True to keep the partial file, so that `retry` can resume it.
    public func cancel(_ id: DownloadID, keepPartial: Bool = true) async throws(DownloadError) {
        try await backend.perform(.cancel(keepPartial: keepPartial), on: id)
    }

    /// Removes a download from the list, whatever its state.
    ///
    /// - Parameter files: The files to delete: by default the partial file, never the finished one.
    public func remove(_ id: DownloadID, files: RemovedFiles = .partial) async throws(DownloadError) {
        try await backend.perform(.remove(files: files), on: id)
    }

    /// Retries a failed or cancelled download, or downloads a finished one again.
    ///
    /// The file that a finished download made is replaced when the new one is complete, whatever the conflict policy
    /// says. A file that existed before and was kept is not the download's own: the policy decides again.
    ///
    /// - Parameter fromStart: True to discard the partial file first.
    public func retry(_ id: DownloadID, fromStart: Bool = false) async throws(DownloadError) {
        try await backend.perform(.retry(fromStart: fromStart), on: id)
    }

    /// Replaces the source of a download, for the same file: a new link for an expired one, new headers, a password.
    ///
    /// The partial file is kept, and resumed only after the new source has proved that it has the same file: by size
    /// and strong validator, or by overlapping bytes (guarantee: one version). Otherwise the download fails with the
    /// code `sourceChanged` and the partial file is kept; the caller can choose another source or
    /// `retry(_:fromStart:)`.
    ///
    /// - Parameters:
    ///   - url: The new URL; nil: unchanged. If its origin (scheme, host and port) differs, the old user, password,
    ///     token, client certificate and headers are dropped, since they were meant for the old origin; headers without
    ///     secrets are kept.
    ///   - headers: The new headers; nil: unchanged.
    ///   - password: The password of the URL's user; nil: unchanged.
    ///   - bearerToken: The new token; nil: unchanged.
    ///   - publicAddressesOnly: True to connect only to public addresses from now on; nil: unchanged.
    public func replaceSource(
        _ id: DownloadID, url: String? = nil, headers: [DownloadSpec.Header]? = nil, password: Secret? = nil,
        bearerToken: Secret? = nil, publicAddressesOnly: Bool? = nil
    ) async throws(DownloadError) {
        var change = SourceChange()
        (change.url, change.headers, change.password) = (url, headers, password)
        (change.bearerToken, change.publicAddressesOnly) = (bearerToken, publicAddressesOnly)
        try await backend.replaceSource(id, change)
    }

    /// Changes priority and rate limit; nil leaves a value as it is.
    ///
    /// - Parameters:
    ///   - priority: -1000 to 1000; downloads of higher priority start first.
    ///   - rateLimit: Bytes per second, effective at once; 0: no limit.
    /// - Throws: `DownloadError` with code `invalidRequest` if one of them is out of range.
    public func set(_ id: DownloadID, priority: Int? = nil, rateLimit: Int64? = nil) async throws(DownloadError) {
        try RateSchedule.check(rateLimit)
        try await backend.set(id, priority: priority, rateLimit: rateLimit)
    }

    /// Starts a download at once, beyond the limits; resumes a paused one, and retries one that waits for disk space or
    /// for its next attempt.
    public func startNow(_ id: DownloadID) async throws(DownloadError) { try await backend.startNow(id) }

    /// Moves a download to an index of the list, from 0; one past the end means the end.
    public func move(_ id: DownloadID, to index: Int) async throws(DownloadError) {
        try await backend.move(id, to: index)
    }
}

/// A command for one download or many.
package enum DownloadVerb: Hashable, Sendable {
    /// Pause; the partial file is kept.
    case pause
    /// Resume.
    case resume
    /// Cancel; the record is kept.
    case cancel(keepPartial: Bool)
    /// Remove from the list.
    case remove(files: RemovedFiles)
    /// Retry.
    case retry(fromStart: Bool)
}
