public import HaulCore

/// A handle for a download of a manager; cheap to copy, since it holds only the identity.
///
/// Dropping the handle, or cancelling a task that waits for the download, does not affect the download: the wait throws
/// `CancellationError`.
public struct Download: Sendable, Identifiable {
    /// The identity in the manager's list.
    public let id: DownloadID
    /// The manager that the download belongs to.
    public let manager: DownloadManager
    /// True if the call that returned this handle added the download; false if it was in the list before.
    ///
    /// Handles from other calls, such as `DownloadManager.download(key:)`, have false.
    public let isNew: Bool

    /// Creates a handle; whether the download exists is checked only when the handle is used.
    package init(id: DownloadID, manager: DownloadManager, isNew: Bool = false) {
        (self.id, self.manager, self.isNew) = (id, manager, isNew)
    }

    /// The current snapshot of the download.
    public var snapshot: DownloadSnapshot {
        get async throws(DownloadError) { try await manager.snapshot(id) }
    }

    /// The current state.
    public var state: DownloadState {
        get async throws(DownloadError) { try await manager.snapshot(id).state }
    }

    /// The events of this download, beginning with a snapshot of its present state.
    ///
    /// Any number of loops may iterate over it; each is a subscription of its own, which ends with the loop. A loop throws
    /// `CancellationError` if its task is cancelled.
    public var events: DownloadEvents { DownloadEvents(manager: manager, download: id, since: nil) }

    /// Waits until the download has ended; pauses and waits in between are included.
    ///
    /// - Parameter waitsForNewLink: True to wait for a new link if the link expires, and for credentials that were not
    ///   stored (see `replaceSource`); false to throw an error with the code `linkExpired` or `notAuthorized`. The
    ///   download itself waits in both cases.
    /// - Returns: The facts about the finished file.
    /// - Throws: The `DownloadError` that the download failed with, or one with the code `cancelled` if the download was
    ///   cancelled, `noSuchDownload` if it was removed, `notPossible` if the manager was closed, or the error of
    ///   reading if the list can't be read any more. `CancellationError` if the waiting task was cancelled.
    public func finished(waitsForNewLink: Bool = true) async throws -> FinishFacts {
        var iterator = events.makeAsyncIterator()
        while let event = try await iterator.next(isolation: #isolation) {
            switch event.kind {
            case .waiting(let reason, _):
                if !waitsForNewLink, let error = reason.lackOfLink { throw error }
            case .finished(let facts): return facts
            case .failed(let error): throw error
            case .cancelled: throw Self.wasCancelled
            case .removed: throw DownloadError.noSuchDownload(id)
            case .snapshot(let snapshot):
                switch snapshot.state {
                case .finished(let facts): return facts
                case .failed(let error): throw error
                case .cancelled: throw Self.wasCancelled
                case .waiting(let reason):
                    if !waitsForNewLink, let error = reason.lackOfLink { throw error }
                case .running, .paused: continue
                }
            case .progress, .added, .started, .notice, .paused, .resumed, .sourceReplaced, .changed: continue
            }
        }
        if let failure = iterator.failure { throw failure }
        guard manager.backend.hub.isClosed else { throw DownloadError.noSuchDownload(id) }
        throw DownloadError(.notPossible, "the manager was closed before download \(id) had ended")
    }

    private static let wasCancelled = DownloadError(.cancelled, "the download was cancelled")

    /// See `DownloadManager.pause(_:)`.
    public func pause() async throws(DownloadError) { try await manager.pause(id) }

    /// See `DownloadManager.resume(_:)`.
    public func resume() async throws(DownloadError) { try await manager.resume(id) }

    /// See `DownloadManager.cancel(_:keepPartial:)`.
    public func cancel(keepPartial: Bool = true) async throws(DownloadError) {
        try await manager.cancel(id, keepPartial: keepPartial)
    }

    /// See `DownloadManager.remove(_:files:)`.
    public func remove(files: RemovedFiles = .partial) async throws(DownloadError) {
        try await manager.remove(id, files: files)
    }

    /// See `DownloadManager.retry(_:fromStart:)`.
    public func retry(fromStart: Bool = false) async throws(DownloadError) {
        try await manager.retry(id, fromStart: fromStart)
    }

    /// See `DownloadManager.replaceSource(_:url:headers:password:bearerToken:publicAddressesOnly:)`.
    public func replaceSource(
        url: String? = nil, headers: [DownloadSpec.Header]? = nil, password: Secret? = nil, bearerToken: Secret? = nil
    ) async throws(DownloadError) {
        try await manager.replaceSource(id, url: url, headers: headers, password: password, bearerToken: bearerToken)
    }

    /// See `DownloadManager.move(_:to:)`.
    public func move(to index: Int) async throws(DownloadError) { try await manager.move(id, to: index) }

    /// See `DownloadManager.startNow(_:)`.
    public func startNow() async throws(DownloadError) { try await manager.startNow(id) }

    /// See `DownloadManager.set(_:priority:rateLimit:)`.
    public func set(priority: Int? = nil, rateLimit: Int64? = nil) async throws(DownloadError) {
        try await manager.set(id, priority: priority, rateLimit: rateLimit)
    }
}

extension Download: Hashable {
    /// Returns true if both are the same download of the same manager.
    public static func == (first: Download, second: Download) -> Bool {
        first.id == second.id && first.manager === second.manager
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension DownloadError {
    /// The error for an unknown identity.
    package static func noSuchDownload(_ id: DownloadID) -> DownloadError {
        DownloadError(.noSuchDownload, "download \(id) does not exist")
    }
}

extension WaitReason {
    /// The error if a caller must give a new link or credentials; nil for other reasons.
    fileprivate var lackOfLink: DownloadError? {
        if case .linkExpired(let error) = self { return error }
        guard self == .credentials else { return nil }
        return DownloadError(.notAuthorized, "credentials are not stored: they must be given again")
    }
}
