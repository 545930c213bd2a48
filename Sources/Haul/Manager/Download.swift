public import HaulCore

/// A download of a manager: a handle that is cheap to copy and keeps nothing but an identity.
///
/// Letting it go changes nothing; so does cancelling a task that waits on it.
public struct Download: Sendable, Identifiable {
    /// Its identity in its manager's list.
    public let id: DownloadID
    /// Whose it is.
    public let manager: DownloadManager
    /// Whether the call that returned this handle put it into the list; false for one that was in it before.
    package let isNew: Bool

    /// Makes a handle; whether there is such a download shows when it is used.
    package init(id: DownloadID, manager: DownloadManager, isNew: Bool = false) {
        (self.id, self.manager, self.isNew) = (id, manager, isNew)
    }

    /// All that is known of it now.
    public var snapshot: DownloadSnapshot {
        get async throws(DownloadError) { try await manager.snapshot(id) }
    }

    /// Where it stands now.
    public var state: DownloadState {
        get async throws(DownloadError) { try await manager.snapshot(id).state }
    }

    /// What happens to it: the present state first, as a snapshot.
    ///
    /// Any number of loops may run over it; each is a subscription of its own and ends when it is left.
    public var events: DownloadEvents { DownloadEvents(manager: manager, download: id, since: nil) }

    /// Waits for its end, over pauses and waits.
    ///
    /// - Returns: what is known of the finished file.
    /// - Throws: the error that it failed with, or one with the code `cancelled` where it, or the waiting task, was cancelled,
    ///   `noSuchDownload` where it was removed, `notPossible` where its manager was closed.
    public func finished() async throws(DownloadError) -> FinishFacts {
        for await event in events {
            switch event.kind {
            case .finished(let facts): return facts
            case .failed(let error): throw error
            case .cancelled: throw Self.wasCancelled
            case .removed: throw .noSuchDownload(id)
            case .snapshot(let snapshot):
                switch snapshot.state {
                case .finished(let facts): return facts
                case .failed(let error): throw error
                case .cancelled: throw Self.wasCancelled
                case .waiting, .running, .paused: continue
                }
            case .progress, .added, .started, .waiting, .notice, .paused, .resumed, .sourceReplaced, .changed: continue
            }
        }
        guard Task.isCancelled else {
            guard manager.backend.hub.isClosed else { throw .noSuchDownload(id) }
            throw DownloadError(.notPossible, "the manager was closed before download \(id) had ended")
        }
        throw DownloadError(.cancelled, "the wait was cancelled; the download is unchanged")
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
    /// The same download of the same manager.
    public static func == (first: Download, second: Download) -> Bool {
        first.id == second.id && first.manager === second.manager
    }

    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
