import Foundation
import Haul
import HaulClient
import HaulCore
import HaulServer
import HaulTesting
import HaulWire
import Logging
import NIOCore
import NIOPosix
import Testing

/// A manager over a fault server, served on a Unix socket and on a port of 127.0.0.1, with a client for each.
struct ServedTrial: Sendable {
    let folder: TemporaryFolder
    let server: FaultServer
    let manager: DownloadManager
    let state: DaemonState
    /// Speaks over the Unix socket.
    let client: DaemonClient
    /// Speaks over TCP, with the token.
    let remote: DaemonClient
    let port: Int
    let token: AccessToken

    /// Where the Unix socket is.
    var socket: String { folder.path + "/s" }
    /// The named tokens.
    var tokens: TokenFile { TokenFile(path: folder.path + "/tokens.json") }
    /// Where downloads go.
    var root: String { folder.path + "/root" }

    /// Runs `body`, and takes everything down whatever comes of it.
    static func run(
        _ resources: [String: Resource] = [:], mounts: Mounts = Mounts(), privateAddresses: Bool = false,
        limit: OutboundBuffers = OutboundBuffers(), connections: Int? = nil,
        _ change: @escaping @Sendable (inout ManagerConfiguration) -> Void = { _ in },
        _ body: @Sendable (ServedTrial) async throws -> Void
    ) async throws {
        try await FaultServer.run(resources) { server in
            let folder = try TemporaryFolder()
            try FileManager.default.createDirectory(atPath: folder.path + "/root", withIntermediateDirectories: true)
            var configuration = ManagerConfiguration(storage: .file(path: folder.path + "/list.sqlite"))
            configuration.firstRetryDelay = .milliseconds(5)
            change(&configuration)
            let rules = CurrentRules(
                DaemonState.Rules(
                    roots: try FolderRoots([folder.path + "/root"]), privateAddresses: privateAddresses, port: nil,
                    settings: configuration.settings))
            configuration.addressRule = rules.addressRule
            let manager = try await DownloadManager(configuration)
            let keeper = SettingsKeeper(path: folder.path + "/settings.json")
            let state = DaemonState(manager: manager, keeper: keeper, version: "1.2.3", current: rules)
            do {
                try await serve(folder, server, state, mounts, limit, connections, body)
            } catch {
                await manager.close()
                throw error
            }
            await manager.close()
        }
    }

    private static func serve(
        _ folder: TemporaryFolder, _ server: FaultServer, _ state: DaemonState, _ mounts: Mounts,
        _ limit: OutboundBuffers, _ connections: Int?, _ body: @Sendable (ServedTrial) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let token = try AccessToken.kept(at: folder.path + "/token")
        let routes = APIRoutes.all(state)
        let local = try await Listener(
            .unix(path: folder.path + "/s"), routes: routes, mounts: mounts, group: group, limit: limit, logger: logger
        ) { _ in RequestGate() }
        let tcp = try await Listener(
            .tcp(address: "127.0.0.1", port: 0), routes: routes, mounts: mounts, group: group, limit: limit,
            connections: connections, logger: logger
        ) { port in
            RequestGate(
                hosts: RequestGate.loopbackHosts, port: port ?? 0, token: token,
                named: TokenKeeper(TokenFile(path: folder.path + "/tokens.json"), logger: logger))
        }
        let port = try #require(tcp.port)
        state.change { $0.port = port }
        let trial = ServedTrial(
            folder: folder, server: server, manager: state.manager, state: state,
            client: DaemonClient(.unix(path: folder.path + "/s")),
            remote: DaemonClient(.tcp(host: "127.0.0.1", port: port, token: .text(token.text))), port: port,
            token: token)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await local.run() }
            tasks.addTask { try await tcp.run() }
            let result: Result<Void, any Error>
            do {
                try await body(trial)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            await trial.client.close()
            await trial.remote.close()
            tasks.cancelAll()
            try await tasks.waitForAll()
            try result.get()
        }
        try await group.shutdownGracefully()
    }

    /// A request for a resource of the server.
    func request(_ resource: String, _ name: String? = nil) -> DownloadRequest {
        var request = DownloadRequest(url: server.url(resource))
        request.name = name ?? String(resource.drop { $0 == "/" })
        request.connections = .fixed(1)
        request.retries = 2
        return request
    }

    /// Makes a named token.
    func addToken(_ name: String, _ scope: TokenScope) throws -> String {
        var random = SystemRandomNumberGenerator()
        return try tokens.add(name, scope, at: Date(), using: &random).text
    }

    /// Waits until a download is in a state.
    func until(_ id: DownloadID, _ kind: DownloadState.Kind) async throws {
        let download = try #require(try await manager.download(id))
        for try await event in download.events {
            guard try await download.state.kind != kind else { return }
            if case .removed = event.kind { break }
        }
        Issue.record("download \(id) never was \(kind)")
    }

    /// Sends bytes over TCP and reads the answer until the daemon closes the connection.
    func raw(_ request: String, host: String? = nil) async throws -> String {
        try await RawClient.send(request.replacing("HOST", with: host ?? "127.0.0.1:\(port)"), port: port)
    }
}
