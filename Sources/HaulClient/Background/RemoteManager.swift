import HaulCore
import HaulManager
import HaulWire

/// The backend of a `DownloadManager` that was created with `.background`: it works in the user's daemon.
///
/// It follows one stream of events while it is open, and continues after the last number when the daemon is running
/// again. The events are published in the hub, from which all subscribers read as in a manager of the process itself. A
/// command starts a daemon if none is running.
///
///     verbs -> DaemonClient ───────────────► daemon
///     hub <- receive <- follow (one task) <─ its events, those of this program alone
actor RemoteManager: ManagerBackend {
    nonisolated let name: String
    nonisolated let capabilities: Capabilities
    nonisolated let openingNotice: String?
    nonisolated let folder: String?
    nonisolated let hub: EventHub
    nonisolated let changes = ChangeSignal()
    /// Signals state events only.
    nonisolated let stateChanges = ChangeSignal()

    let client: DaemonClient
    let ownership: Ownership
    private let launcher: DaemonLauncher?
    private var position: SeenPosition
    /// The own downloads seen so far.
    var known: Set<DownloadID> = []
    var models = BoundModels()
    /// The largest known number of bytes of each active run: progress events arrive a little later than snapshots, and
    /// must not decrease the number.
    var furthest: [DownloadID: Int64] = [:]
    /// The number of the last event that ended a run.
    var lastEnd: Int64 = 0
    /// The number of reasons to hold events back: while models are being added, so that they miss nothing.
    var holds = 0
    var held: [DaemonEvent] = []
    /// The last known settings of the daemon.
    var settings = ManagerSettings()
    /// The last known summary of the own downloads.
    var lastSummary = DownloadSummary()
    var isClosing = false
    private var following: Task<Void, Never>?

    /// The maximum number of events that are replayed at once.
    static let replayLimit = 500
    /// The first and the longest wait between two attempts to reach a daemon that has ended.
    static let pauses = (first: Duration.milliseconds(100), maximum: Duration.seconds(5))

    /// Connects to a daemon, or starts one.
    ///
    /// - Throws: `DownloadError` with code `connectionFailed`, `invalidRequest`, `fileFailed`.
    init(_ configuration: BackgroundConfiguration, environment: [String: String]) async throws(DownloadError) {
        ownership = try Ownership(configuration.identifier)
        let standard = DaemonEndpoint.standard(environment: environment)
        guard let endpoint = configuration.socketPath.map({ DaemonEndpoint.unix(path: $0) }) ?? standard,
            let path = configuration.positionPath
                ?? SeenPosition.path(of: configuration.identifier, environment: environment)
        else {
            throw DownloadError(.invalidRequest, "the home folder is unknown: set HOME")
        }
        let launcher = DaemonLauncher(
            environment: environment, program: configuration.programPath, socket: configuration.socketPath)
        // If the program specifies the socket itself, it also decides whether a daemon is started.
        let mayStart = configuration.socketPath != nil || AutoStart.obstacle(environment) == nil
        self.launcher = configuration.startsDaemon && mayStart ? launcher : nil
        var position = try SeenPosition(path: path)
        let client = DaemonClient(endpoint)
        let info: InfoMessage
        do throws(DownloadError) {
            info = try await Self.reach(client, self.launcher)
            // Numbers beyond the last one belong to another list.
            if position.number.map({ $0 > info.lastEvent }) ?? true { try position.keep(info.lastEvent) }
        } catch {
            await client.close()
            throw error
        }
        (self.client, self.position) = (client, position)
        name = configuration.name ?? configuration.identifier
        folder = configuration.folder
        openingNotice = info.notice
        capabilities = Self.capabilities(info.capabilities)
        hub = EventHub(last: info.lastEvent)
        following = Task { await self.follow() }
    }

    private static func reach(
        _ client: DaemonClient, _ launcher: DaemonLauncher?
    ) async throws(DownloadError) -> InfoMessage {
        do throws(DownloadError) {
            return try await client.info()
        } catch {
            guard error.code == .connectionFailed, let launcher else { throw error }
            try await start(client, launcher)
            return try await client.info()
        }
    }

    /// Starts a daemon, and returns when it responds.
    ///
    /// One that is just being killed holds its lock a moment longer, and so counts as running: in that case the start
    /// is repeated.
    private static func start(_ client: DaemonClient, _ launcher: DaemonLauncher) async throws(DownloadError) {
        for pause in [50, 100, 200, 400, 800, 0] {
            try await launcher.start()
            do throws(DownloadError) {
                _ = try await client.info()
                return
            } catch {
                guard error.code == .connectionFailed, pause > 0 else { throw error }
            }
            try? await Task.sleep(for: .milliseconds(pause))
        }
    }

    /// Returns the daemon's capabilities for a program in another process, which exclude the program's hooks.
    private static func capabilities(_ names: [String]) -> Capabilities {
        var result: Capabilities = [.background]
        for (capability, name) in Capabilities.names where names.contains(name) { result.insert(capability) }
        return result.subtracting(.hooks)
    }

    /// Does nothing: the daemon creates missing folders inside its roots.
    func makeFolder() {}

    /// Sends a request to the daemon.
    ///
    /// If none responds, one is started and the request is repeated: all requests may be executed twice.
    func ask<Answer>(
        _ body: (DaemonClient) async throws(DownloadError) -> Answer
    ) async throws(DownloadError) -> Answer {
        try open()
        do throws(DownloadError) {
            return try await body(client)
        } catch {
            guard error.code == .connectionFailed, !isClosing, let launcher else { throw error }
            try await Self.start(client, launcher)
            return try await body(client)
        }
    }

    /// Checks that the manager is open.
    ///
    /// - Throws: `DownloadError` with code `notPossible` once the manager is closed.
    func open() throws(DownloadError) {
        guard !isClosing else { throw DownloadError(.notPossible, "the manager is closed") }
    }

    // MARK: - Events

    /// Follows the daemon's events until the manager is closed, across restarts of the daemon.
    private func follow() async {
        var pause = Self.pauses.first
        while !isClosing {
            // Makes waiting tasks check for events that happened in the meantime.
            stateChanges.notify()
            changes.notify()
            let interval = min(max(settings.progressInterval, .milliseconds(100)), .seconds(60))
            let events = client.events(after: hub.last, tag: ownership.tag, interval: interval)
            do throws(DownloadError) {
                for try await event in events {
                    receive(event)
                    pause = Self.pauses.first
                }
            } catch {
                // The request is repeated for the same events.
            }
            guard !isClosing, (try? await Task.sleep(for: pause)) != nil else { return }
            pause = min(pause * 2, Self.pauses.maximum)
        }
    }

    /// The number of the last event that the program has seen.
    var seenEvent: Int64? { position.number }

    func saw(_ number: Int64) {
        // If it cannot be recorded, the event is delivered again: better twice than never.
        if number > position.number ?? -1 { try? position.keep(number) }
    }

    func close() async {
        isClosing = true
        // A task that finds the manager closing finds its hub closed.
        hub.close()
        changes.close()
        stateChanges.close()
        following?.cancel()
        await following?.value
        await client.close()
    }
}
