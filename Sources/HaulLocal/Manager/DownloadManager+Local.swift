public import HaulCore
package import HaulEngine
import HaulLibC
public import HaulManager
import HaulStore
public import HaulTransport

/// Managers whose downloads run in this process.
extension DownloadManager {
    /// Opens the list and resumes the downloads that the last process left unfinished.
    ///
    /// - Throws: `DownloadError`: `catalogueBusy` if another process has the list open, or a manager of this process that
    ///   was not closed (the message says which), `catalogueFailed` if it can't be read or was written by a newer
    ///   version (nothing is changed then), `invalidRequest` if the certificates can't be read or a setting is invalid.
    ///   A damaged list is moved aside and replaced by an empty one; see `openingNotice`.
    public convenience init(_ configuration: ManagerConfiguration) async throws(DownloadError) {
        try await self.init(configuration, engine: try DownloadEngine(configuration.engineConfiguration))
    }

    /// Opens the list; the downloads use a transport of your own, which `close()` shuts down.
    ///
    /// Of the configuration, the certificates are not used, since a transport has its own; everything else is.
    ///
    /// - Throws: Like `init(_:)`.
    public convenience init(
        _ configuration: ManagerConfiguration, transport: any Transport
    ) async throws(DownloadError) {
        try await self.init(
            configuration, engine: try DownloadEngine(configuration.engineConfiguration, transport: transport))
    }

    /// Opens the list, using an existing engine.
    ///
    /// - Parameter runs: Performs the runs; nil: the engine does.
    package convenience init(
        _ configuration: ManagerConfiguration, engine: DownloadEngine, runs: (any RunBackend)? = nil
    ) async throws(DownloadError) {
        self.init(backend: try await LocalManager(configuration, engine: engine, runs: runs))
    }

    /// Opens the list; the system's transfer service performs the runs.
    ///
    /// What the system has delivered is kept in a folder beside the list until it is verified.
    ///
    /// - Throws: Like `init(_:)`; `invalidRequest` if the list is in memory.
    package convenience init(
        _ configuration: ManagerConfiguration, session: any SystemSession
    ) async throws(DownloadError) {
        guard case .file(let list) = configuration.storage else {
            throw DownloadError(.invalidRequest, "the list of a system session must be in a file")
        }
        let deliveries = DeliveryTable()
        let runs = try await BlockingQueue(label: "haul.open").call { () throws(DownloadError) in
            try SystemSessionBackend(
                session, folder: list + ".session", deliveries: deliveries, clock: configuration.clock,
                firstRetryDelay: configuration.firstRetryDelay, logger: configuration.logger)
        }
        let engine = try DownloadEngine(configuration.engineConfiguration) {
            DeliveryTransport(deliveries, others: $0)
        }
        try await self.init(configuration, engine: engine, runs: runs)
    }

    /// The error if the list can't be written now, or if its disk does not respond; nil if it can, or if another process
    /// keeps it.
    ///
    /// Never waits.
    package var listFailure: DownloadError? { local.flatMap { $0.trouble.error(at: $0.clock.now) } }

    /// Returns true if the last changes of a list that is not open may not be on the disk.
    package static func mayLackChanges(listAt path: String) -> Bool { Catalogue.isUnsynced(at: path) }

    /// The disks that do not respond, after waiting for at most a second.
    package var blockedDisks: [BlockedDisk] { get async { await local?.engine.blockedDisks() ?? [] } }

    /// Returns free space of the list to the disk, and empties its log; without effect if the downloads belong to another
    /// process.
    ///
    /// - Throws: `DownloadError` with code `catalogueFailed`.
    package func tidyList() async throws(DownloadError) { try await local?.tidyList() }

    /// Copies the list, as of one instant, into a new file beside it, which only the owner can read, and returns its path.
    ///
    /// Other calls wait for it: half a second for 100,000 downloads.
    ///
    /// - Throws: `DownloadError`: `notPossible` if the list is in memory, or the downloads belong to another process;
    ///   `catalogueFailed`, for example without space for the copy.
    package func backUpList() async throws(DownloadError) -> String { try await here.backUpList() }

    /// The figures for monitoring; nil if the downloads belong to another process.
    package var figures: ManagerFigures? {
        get async { await local?.figures() }
    }
}

/// For interfaces with the vocabulary of another program, which run in the process of the downloads.
extension DownloadManager {
    /// Returns the downloads that match a filter, in the order of the list.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the downloads belong to another process.
    package func ids(_ filter: DownloadFilter) async throws(DownloadError) -> [DownloadID] {
        try await here.ids(filter)
    }

    /// Returns the spec of a download, including headers and passwords.
    ///
    /// - Throws: `DownloadError` with code `noSuchDownload`, or `notPossible` if the downloads belong to another
    ///   process.
    package func fullSpec(_ id: DownloadID) async throws(DownloadError) -> DownloadSpec {
        try await here.fullSpec(id)
    }

    /// Changes the spec of a download: options, mirrors, destination; for its URL, see `replaceSource`.
    ///
    /// A download that runs stops, and continues with the new spec. The destination can be changed while it does not
    /// run, as long as nothing has been fetched.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if the download has ended, belongs to another process, or runs
    ///   and must not repeat its request or would change its destination; `invalidRequest` if the new spec is invalid.
    ///   Nothing has changed then.
    package func rewrite(
        _ id: DownloadID, _ change: @Sendable (inout DownloadSpec) throws(DownloadError) -> Void
    ) async throws(DownloadError) {
        try await here.rewrite(id, change)
    }

    private var here: LocalManager {
        get throws(DownloadError) {
            guard let local else { throw DownloadError(.notPossible, "the downloads belong to another process") }
            return local
        }
    }
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
