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
/// it any more.
public final class DownloadManager: Sendable {
    /// The implementation.
    package let backend: any ManagerBackend

    /// The name shown to people.
    public var name: String { backend.name }
    /// The optional features that are available.
    public var capabilities: Capabilities { backend.capabilities }
    /// A notice for the user if a damaged catalogue was moved aside when opening it, else nil.
    public var openingNotice: String? { backend.openingNotice }

    /// Opens the list and resumes the downloads that the last process left unfinished.
    ///
    /// - Throws: `DownloadError`: `catalogueBusy` if another process or manager has the list open, `catalogueFailed` if
    ///   it can't be read or was written by a newer version (nothing is changed then), `invalidRequest` if the
    ///   certificates can't be read. A damaged list is moved aside and replaced by an empty one; see `openingNotice`.
    public convenience init(_ configuration: ManagerConfiguration) async throws(DownloadError) {
        try await self.init(configuration, engine: try DownloadEngine(configuration.engineConfiguration))
    }

    /// Opens the list, using an existing engine.
    package convenience init(
        _ configuration: ManagerConfiguration, engine: DownloadEngine
    ) async throws(DownloadError) {
        self.init(backend: try await LocalManager(configuration, engine: engine))
    }

    /// Creates a manager for a backend.
    package init(backend: any ManagerBackend) { self.backend = backend }

    /// Saves the downloads in progress, ends every subscription, and closes the list.
    ///
    /// Running downloads are interrupted, and are the first to be resumed at the next launch; those in the background
    /// continue. Returns when this is complete; the manager can't be used afterwards. Pending hook commands have two
    /// more seconds; those still queued then are dropped, and a running one is killed.
    public func close() async { await backend.close() }
}

// MARK: - For tests and measurements

extension DownloadManager {
    /// The backend of this process; nil if the downloads belong to another one.
    var local: LocalManager? { backend as? LocalManager }

    var hub: EventHub { backend.hub }

    /// Behaves from now on as if the process had been killed: nothing more is recorded.
    package func abandon() async { await local?.abandon() }

    /// Makes the catalogue reject all writes, as on a full disk, or accept them again.
    package func refuseRecords(_ refuses: Bool) { local?.refuseRecords(refuses) }

    /// Handles an event as if the run of a download had sent it.
    package func inject(_ event: TransferEvent, of id: DownloadID) { local?.inject(event, of: id) }
}
