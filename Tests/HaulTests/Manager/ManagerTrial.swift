import Haul
import HaulCore
import HaulEngine
import HaulFiles
import HaulLocal
import HaulTesting
import HaulTransportHTTP
import Logging
import Synchronization
import Testing

/// A folder, a server and a manager whose list is in the folder; the manager can be closed, or killed, and launched again.
final class ManagerTrial: Sendable {
    let folder: TemporaryFolder
    let server: FaultServer
    /// The system's transfer service, if the managers use one; it outlives them.
    let session: SimulatedSystemSession?
    private let current: Mutex<(manager: DownloadManager, death: Death)?>
    private let change: @Sendable (inout ManagerConfiguration) -> Void
    private let hook: SystemCalls.Hook

    /// Once it has come, every file system call of a process fails: the disk stays as it was at that instant.
    final class Death: Sendable {
        private let hasCome = Atomic<Bool>(false)

        func come() { hasCome.store(true, ordering: .releasing) }

        // EIO has this number on Linux and on Apple's systems alike.
        func system(_ hook: @escaping SystemCalls.Hook) -> SystemCalls {
            SystemCalls { [self] call in hasCome.load(ordering: .acquiring) ? .fail(5) : hook(call) }
        }
    }

    /// Runs `body` with a manager that has just been launched, and closes it whatever comes of it.
    ///
    /// - Parameter session: The seed of a simulated system session that performs the runs; nil: the engine does.
    static func run(
        _ resources: [String: Resource], throttle: Int64? = nil, clientLimit: ClientLimit? = nil,
        session seed: UInt64? = nil,
        hook: @escaping SystemCalls.Hook = { _ in .proceed },
        _ change: @escaping @Sendable (inout ManagerConfiguration) -> Void = { _ in },
        _ body: (ManagerTrial) async throws -> Void
    ) async throws {
        try await FaultServer.run(resources, throttle: throttle, clientLimit: clientLimit) { server in
            let session = try seed.map { seed in
                try SimulatedSystemSession(seed: seed, transport: HTTPTransport(HTTPTransportConfiguration()))
            }
            let trial = ManagerTrial(folder: try TemporaryFolder(), server: server, session, hook, change)
            try await trial.launch()
            do {
                try await body(trial)
            } catch {
                await trial.close()
                await session?.end()
                throw error
            }
            await trial.close()
            await session?.end()
        }
    }

    private init(
        folder: TemporaryFolder, server: FaultServer, _ session: SimulatedSystemSession?,
        _ hook: @escaping SystemCalls.Hook, _ change: @escaping @Sendable (inout ManagerConfiguration) -> Void
    ) {
        self.folder = folder
        self.server = server
        self.session = session
        self.hook = hook
        self.change = change
        current = Mutex(nil)
    }

    /// The manager at work.
    var manager: DownloadManager {
        get throws { try #require(current.withLock { $0?.manager }) }
    }

    /// Launches a manager over the same list.
    @discardableResult
    func launch(_ more: (inout ManagerConfiguration) -> Void = { _ in }) async throws -> DownloadManager {
        var configuration = ManagerConfiguration(storage: .file(path: path("list.sqlite")))
        configuration.firstRetryDelay = .milliseconds(5)
        configuration.spaceInterval = .milliseconds(20)
        configuration.hookGrace = .seconds(60)
        change(&configuration)
        more(&configuration)
        let death = Death()
        var engine = EngineConfiguration()
        engine.firstRetryDelay = configuration.firstRetryDelay
        let manager = try await self.manager(configuration, engine, death.system(hook))
        current.withLock { $0 = (manager, death) }
        return manager
    }

    private func manager(
        _ configuration: ManagerConfiguration, _ engine: EngineConfiguration, _ system: SystemCalls
    ) async throws -> DownloadManager {
        let transport = try HTTPTransport(HTTPTransportConfiguration())
        guard let session else {
            return try await DownloadManager(
                configuration, engine: DownloadEngine(engine, transport: transport, system: system))
        }
        let deliveries = DeliveryTable()
        let runs = try SystemSessionBackend(
            session, folder: path("session"), deliveries: deliveries, firstRetryDelay: engine.firstRetryDelay,
            logger: configuration.logger, system: system)
        return try await DownloadManager(
            configuration,
            engine: DownloadEngine(
                engine, transport: DeliveryTransport(deliveries, others: transport), system: system), runs: runs)
    }

    /// Ends the manager as a program that ends does.
    func close() async {
        let old = current.withLock { current in
            defer { current = nil }
            return current
        }
        await old?.manager.close()
        await session?.leave()
    }

    /// Ends the manager as kill -9 does: from one instant on nothing of it reaches the disk any more.
    ///
    /// - Parameter whenDead: Called when that instant has passed; what is left of the manager is waited for afterwards.
    func kill(_ whenDead: () -> Void = {}) async {
        let old = current.withLock { current in
            defer { current = nil }
            return current
        }
        // Both at once, before anything is waited for: a failure that only this death makes must not reach the list.
        old?.manager.refuseRecords(true)
        old?.death.come()
        await session?.leave()
        await old?.manager.abandon()
        whenDead()
        await old?.manager.close()
    }

    /// A spec for a resource of the server and a file in the folder.
    func spec(_ resource: String, _ name: String? = nil, connections: Int = 1) -> DownloadSpec {
        let name = name ?? String(resource.drop { $0 == "/" })
        var spec = DownloadSpec(url: server.url(resource), destination: .file(path: path(name)))
        spec.connections = .fixed(connections)
        spec.retries = 2
        return spec
    }

    /// A path in the folder.
    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// The bytes of a file in the folder, or nil.
    func bytes(_ name: String) -> [UInt8]? { folder.bytes(name) }

    /// The names in the folder, sorted, without those of the list and of the session.
    var names: [String] { folder.names.filter { !$0.hasPrefix("list.sqlite") && $0 != "session" } }
}

extension DownloadManager {
    /// The first event that passes; events of the past count, too.
    func first(since: Int64 = 0, where passes: (DownloadEvent) -> Bool) async throws -> DownloadEvent {
        for try await event in events(since: since) where passes(event) { return event }
        throw DownloadError(.internal, "the events ended before that came")
    }

    /// All state events so far.
    func allEvents() async -> [DownloadEvent] {
        let last = lastEventNumber
        guard last > 0 else { return [] }
        var result: [DownloadEvent] = []
        for await event in events(since: 0).uncancelled where event.kind.isNumbered {
            result.append(event)
            if event.number == last { break }
        }
        return result
    }
}
