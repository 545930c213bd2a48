public import HaulCore

/// What can be asked of one download.
///
/// Each returns when it is done: a pause when everything is saved, a cancel and a removal when the files are gone. Cancelling the task
/// that waits for that changes nothing about the download. What does not fit the download's state is refused with `notPossible`; what is
/// so already is no error.
extension DownloadManager {
    /// Stops it and keeps everything, to go on from there (guarantee: nothing lost).
    public func pause(_ id: DownloadID) async throws(DownloadError) { try await backend.perform(.pause, on: id) }

    /// Lets a paused download go on as soon as its turn comes.
    public func resume(_ id: DownloadID) async throws(DownloadError) { try await backend.perform(.resume, on: id) }

    /// Ends it for good; its record stays.
    ///
    /// - Parameter keepPartial: whether the bytes stay on the disk, so that `retry` can go on from them.
    public func cancel(_ id: DownloadID, keepPartial: Bool = true) async throws(DownloadError) {
        try await backend.perform(.cancel(keepPartial: keepPartial), on: id)
    }

    /// Forgets it, whatever it does.
    ///
    /// - Parameter files: which files go with the record: by default the partial, never the finished file.
    public func remove(_ id: DownloadID, files: RemovedFiles = .partial) async throws(DownloadError) {
        try await backend.perform(.remove(files: files), on: id)
    }

    /// Tries again what has failed, was cancelled, or finished and is wanted anew.
    ///
    /// - Parameter fromStart: whether what is there of the file is thrown away first.
    public func retry(_ id: DownloadID, fromStart: Bool = false) async throws(DownloadError) {
        try await backend.perform(.retry(fromStart: fromStart), on: id)
    }

    /// Gives it another source for the same file: a new link for an expired one, new headers, a password.
    ///
    /// What is there is kept, and gone on with only after the new source has proved that it has the same file: by size and strong
    /// validator, or by bytes that overlap (guarantee: one version). If it has not, the download fails with the code `sourceChanged`,
    /// everything is kept, and another source or `retry(_:fromStart:)` is the caller's choice.
    ///
    /// - Parameters:
    ///   - url: The new URL; nil: the one it has. At another origin (scheme, host and port) the user, password, token, client certificate and
    ///     headers that it has are dropped, since they were given for the old one; of the headers, those without secrets stay.
    ///   - headers: The new headers; nil: those it has.
    ///   - password: The password of its user; nil: the one it has.
    ///   - bearerToken: The new token; nil: the one it has.
    ///   - publicAddressesOnly: Whether only public addresses are connected to from now on; nil: as before.
    public func replaceSource(
        _ id: DownloadID, url: String? = nil, headers: [DownloadSpec.Header]? = nil, password: Secret? = nil,
        bearerToken: Secret? = nil, publicAddressesOnly: Bool? = nil
    ) async throws(DownloadError) {
        var change = SourceChange()
        (change.url, change.headers, change.password) = (url, headers, password)
        (change.bearerToken, change.publicAddressesOnly) = (bearerToken, publicAddressesOnly)
        try await backend.replaceSource(id, change)
    }

    /// Changes priority and rate limit; what is nil stays as it is.
    ///
    /// - Parameters:
    ///   - priority: -1000 to 1000; the higher one starts first.
    ///   - rateLimit: Bytes per second, effective at once; 0: no limit.
    public func set(_ id: DownloadID, priority: Int? = nil, rateLimit: Int64? = nil) async throws(DownloadError) {
        try await backend.set(id, priority: priority, rateLimit: rateLimit)
    }

    /// Starts it at once, beyond the limits; a paused one is resumed, and one that waits for room on the disk tries again.
    public func startNow(_ id: DownloadID) async throws(DownloadError) { try await backend.startNow(id) }

    /// Moves it to a place in the list, 0 first; beyond the end is the end.
    public func move(_ id: DownloadID, to index: Int) async throws(DownloadError) {
        try await backend.move(id, to: index)
    }
}

/// What can be done to one download and to many.
package enum DownloadVerb: Hashable, Sendable {
    /// Stop it and keep everything.
    case pause
    /// Let it continue.
    case resume
    /// End it for good.
    case cancel(keepPartial: Bool)
    /// Forget it.
    case remove(files: RemovedFiles)
    /// Try it again.
    case retry(fromStart: Bool)
}
