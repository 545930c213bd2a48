public import HaulCore

/// A list of downloads that are started in order, a few at a time, and resumed after an interruption, a crash or a
/// restart.
///
///     let manager = try await DownloadManager(ManagerConfiguration(storage: .file(path: "downloads.sqlite")))
///     let download = try await manager.add(DownloadSpec(url: url, destination: .folder(path: "Downloads")))
///     let facts = try await download.finished()
///
/// A manager created from a configuration downloads in this process. `import HaulClient` adds
/// `DownloadManager(.background(identifier:))`, whose downloads continue after this process has ended. Both are used
/// alike; `capabilities` reports the differences.
///
/// Its guarantees are those of the engine, and *every wait has a reason* and *events*.
///
/// A manager keeps running, and keeps its list locked, until `close()` has returned, even if there is no reference to
/// it any more: downloads do not depend on who holds a reference. Opening the list again in the same process before
/// that fails, with an error that says so. After `close()`, methods that can throw throw `notPossible`.
public final class DownloadManager: Sendable {
    /// The implementation.
    package let backend: any ManagerBackend

    /// The name shown to people.
    public var name: String { backend.name }
    /// The optional features that are available.
    public var capabilities: Capabilities { backend.capabilities }
    /// A notice for the user if a damaged catalogue was moved aside when opening it, else nil.
    public var openingNotice: String? { backend.openingNotice }

    /// The folder for downloads that are added by their URL alone, as an absolute path; nil: none.
    public var folder: String? { backend.folder }

    /// Checks that the manager is not closed, for backends whose methods can't throw.
    ///
    /// - Throws: `DownloadError` with code `notPossible`.
    func open() throws(DownloadError) {
        guard !backend.hub.isClosed else { throw DownloadError(.notPossible, "the manager is closed") }
    }

    /// Creates a manager for a backend.
    package init(backend: any ManagerBackend) { self.backend = backend }

    /// Saves the downloads in progress, ends every subscription, and closes the list.
    ///
    /// Running downloads are interrupted, and are resumed at the next launch, before others of the same priority; those in the background
    /// continue. Returns when this is complete; the manager can't be used afterwards. Pending hook commands have two
    /// more seconds; those still queued then are dropped, and a running one is killed.
    public func close() async { await backend.close() }
}
