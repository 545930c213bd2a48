import Haul
import HaulClient
import HaulManager
import HaulServer
import HaulTesting
import Logging
import NIOPosix
import Synchronization
import Testing

/// The program of a sequence in the background: the process with the list is a daemon, and the program, which speaks to
/// it over a socket, comes and goes without it.
///
/// Nothing starts a daemon for the program: commands while none runs fail with `connectionFailed`.
final class ModelProgram: Sendable {
    private let folder: TemporaryFolder
    private let current = Mutex<DownloadManager?>(nil)
    private let serving = Mutex<Task<Void, any Error>?>(nil)

    private init() throws { folder = try TemporaryFolder() }

    /// Runs `body` with a program of the daemon whose manager is the trial's.
    static func run(_ trial: ManagerTrial, _ body: (ModelProgram) async throws -> Void) async throws {
        let program = try ModelProgram()
        try await program.serve(trial)
        do {
            try await program.launch()
            try await body(program)
        } catch {
            await program.close()
            await program.stopServing()
            throw error
        }
        await program.close()
        await program.stopServing()
    }

    /// The manager of the program.
    var manager: DownloadManager {
        get throws { try #require(current.withLock { $0 }) }
    }

    /// The program is launched, and finds its downloads.
    @discardableResult
    func launch() async throws -> DownloadManager {
        var configuration = BackgroundConfiguration(identifier: "org.example.model")
        configuration.socketPath = folder.path("s")
        configuration.startsDaemon = false
        configuration.positionPath = folder.path("position")
        let manager = try await DownloadManager(configuration)
        current.withLock { $0 = manager }
        return manager
    }

    /// The program ends.
    ///
    /// That is a kill as well: `close()` writes nothing.
    func close() async {
        let old = current.withLock { $0.take() }
        await old?.close()
    }

    /// The daemon serves its API, as a daemon does that has just been started.
    func serve(_ trial: ManagerTrial) async throws {
        let rules = DaemonState.Rules(
            roots: try FolderRoots([trial.folder.path]), privateAddresses: false, port: nil,
            settings: ManagerSettings())
        let state = DaemonState(manager: try trial.manager, keeper: nil, version: "1.2.3", rules: rules)
        let listener = try await Listener(
            .unix(path: folder.path("s")), routes: APIRoutes.all(state), mounts: Mounts(), group: .singleton,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        ) { _ in RequestGate() }
        serving.withLock { $0 = Task { try await listener.run() } }
    }

    /// The daemon serves no more: its connections are closed.
    func stopServing() async {
        let old = serving.withLock { $0.take() }
        old?.cancel()
        try? await old?.value
    }
}
