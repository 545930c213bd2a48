public import HaulCore

/// A list of downloads that looks after itself: it starts them in order, a few at a time, goes on after an interruption, a crash or a
/// relaunch, and tells what happens.
///
///     let manager = try await DownloadManager(ManagerConfiguration(storage: .file(path: "downloads.sqlite")))
///     let download = try await manager.add(DownloadSpec(url: url, destination: .folder(path: "Downloads")))
///     let facts = try await download.finished()
///
/// One that is made from a configuration does its work in this process. With `import HaulClient` there is
/// `DownloadManager(.background(identifier:))`, too, whose downloads go on when this process is gone. Both are used alike;
/// `capabilities` says what differs.
///
/// The guarantees that it keeps are those of the engine, and *every wait has a reason* and *events*.
///
/// A manager works, and keeps its list locked, until `close()` has returned, also when nobody holds it any more.
public final class DownloadManager: Sendable {
    /// What does the work.
    package let backend: any ManagerBackend

    /// Its name for people.
    public var name: String { backend.name }
    /// What it can do.
    public var capabilities: Capabilities { backend.capabilities }
    /// What had to be done to the catalogue to open it, for the user to know: a damaged one was set aside.
    public var openingNotice: String? { backend.openingNotice }

    /// Opens the list, and goes on with what the last process left.
    ///
    /// - Throws: `DownloadError`: `catalogueBusy` where another process or manager has the list, `catalogueFailed` where it can't be
    ///   read or a newer version wrote it (nothing is changed then), `invalidRequest` where the certificates can't be read. A damaged
    ///   list is set aside and an empty one begun; `openingNotice` says so.
    public convenience init(_ configuration: ManagerConfiguration) async throws(DownloadError) {
        try await self.init(configuration, engine: try DownloadEngine(configuration.engineConfiguration))
    }

    /// Opens the list over a given engine.
    package convenience init(
        _ configuration: ManagerConfiguration, engine: DownloadEngine
    ) async throws(DownloadError) {
        self.init(backend: try await LocalManager(configuration, engine: engine))
    }

    /// Shows what a backend does.
    package init(backend: any ManagerBackend) { self.backend = backend }

    /// Saves what is under way, ends every subscription and gives back the list.
    ///
    /// Downloads at work are interrupted, and go on first at the next launch; those in the background are not touched. Returns when all
    /// is done; the manager can't be used afterwards. Hook commands that are due have two seconds more; those that wait longer are
    /// dropped, and one at work is killed.
    public func close() async { await backend.close() }
}

// MARK: - For tests and measurements

extension DownloadManager {
    /// The one that works in this process, where it does.
    var local: LocalManager? { backend as? LocalManager }

    var hub: EventHub { backend.hub }

    /// Behaves from now on as if the process had been killed: nothing more is recorded.
    package func abandon() async { await local?.abandon() }

    /// Has the catalogue refuse to record anything, as on a full disk, or record again.
    package func refuseRecords(_ refuses: Bool) { local?.refuseRecords(refuses) }

    /// Does as if the run of a download had told something.
    package func inject(_ event: TransferEvent, of id: DownloadID) { local?.inject(event, of: id) }
}
