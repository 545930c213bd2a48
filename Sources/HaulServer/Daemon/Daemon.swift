import Dispatch
import Haul
package import HaulCore
import HaulLibC
package import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The daemon: one list of downloads, served to programs, the command line and the web page.
///
///     lock -> list -> sockets -> READY=1 ... SIGTERM -> no new connections -> list saved -> exit
package struct Daemon: Sendable {
    /// The configuration at start.
    package let configuration: DaemonConfiguration
    private let environment: [String: String]
    private let mounts: @Sendable (DaemonState, AccessToken?) -> Mounts
    private let version: String
    private let logger: Logger
    /// The settings whose changes over the API are discarded once the daemon listens, because options of this start set
    /// them.
    package var replacedSettings: [ConfigurationKey] = []
    /// Reads the configuration again, for SIGHUP.
    private let reread: @Sendable () throws(DownloadError) -> DaemonConfiguration

    /// The maximum time from the request to stop until the end of the process.
    static let maxEnd = Duration.milliseconds(2700)

    /// Makes a daemon that has not started.
    ///
    /// - Parameter mounts: The content served in addition to the API; the token is nil if the daemon does not listen on
    ///   a port.
    package init(
        _ configuration: DaemonConfiguration, environment: [String: String],
        mounts: @escaping @Sendable (DaemonState, AccessToken?) -> Mounts, version: String, logger: Logger,
        reread: @escaping @Sendable () throws(DownloadError) -> DaemonConfiguration
    ) {
        (self.configuration, self.environment, self.mounts) = (configuration, environment, mounts)
        (self.version, self.logger, self.reread) = (version, logger, reread)
    }

    /// Runs until SIGTERM or SIGINT.
    ///
    /// - Parameters:
    ///   - ready: Called with the addresses once the daemon listens.
    ///   - overdue: Called if saving takes longer than the daemon has; must end the process.
    /// - Throws: `DownloadError`: `catalogueBusy` if another daemon uses the state folder or the socket,
    ///   `invalidRequest` for an invalid configuration, `fileFailed` if a folder or a socket can't be created.
    package func run(
        ready: @escaping @Sendable ([String]) -> Void, overdue: @escaping @Sendable () -> Void
    ) async throws(DownloadError) {
        try Self.checkFiles()
        try TaskLimit.check(.daemon(downloads: configuration.settings.limit))
        let inherited = InheritedSockets.all(environment: environment)
        let hasUnix = inherited.contains(where: \.isLocal)
        try configuration.checkHooks(environment: environment)
        let paths = configuration.paths
        try paths.prepare(makesSocket: !hasUnix)
        let lock = try DaemonLock(path: paths.lock)
        DaemonLogFile.returnSpace(path: paths.log)
        let claim = hasUnix ? nil : try SocketClaim(path: paths.socket)
        let keeper = SettingsKeeper(path: paths.settings)
        if let notice = keeper.notice { logger.error("\(notice)") }
        var settings = configuration.settings
        try settings.apply(SettingsKeeper.removing(replacedSettings, from: keeper.patch).rest)
        let roots = try FolderRoots(configuration)
        let messengers = try DaemonMessengers(configuration, environment: environment, logger: logger)
        let rules = CurrentRules(
            DaemonState.Rules(
                roots: roots, privateAddresses: configuration.privateAddresses, port: nil,
                settings: configuration.settings))
        rules.change {
            ($0.stateFolder, $0.keepsHistory) = (paths.stateFolder, configuration.keepsHistory)
        }
        var managerConfiguration = try managerConfiguration(settings, messengers)
        (managerConfiguration.folderRule, managerConfiguration.addressRule) = (rules.folderRule, rules.addressRule)
        // Commands in a hook, such as `haul show $HAUL_ID`, are for this daemon.
        managerConfiguration.hookVariables = [
            "HAUL_SOCKET": inherited.lazy.compactMap(InheritedSockets.path).first ?? paths.socket
        ]
        let manager = try await DownloadManager(managerConfiguration)
        let state = DaemonState(
            manager: manager, keeper: keeper, version: version, current: rules, webhook: messengers.webhook)
        do throws(DownloadError) {
            try await serve(
                state, inherited + (hasUnix ? [] : [.unix(path: paths.socket)]), messengers,
                { addresses in
                    discardReplaced(keeper)
                    ready(addresses)
                }, overdue)
        } catch {
            await manager.close()
            throw error
        }
        claim?.removeSocket()
        // The lock is held to the very end.
        withExtendedLifetime(lock) {}
    }

    /// Checks that the process may open enough files to work at all.
    ///
    /// - Throws: `DownloadError` with code `tooManyFiles`.
    package static func checkFiles() throws(DownloadError) {
        guard FreeFiles.suffice(for: FreeFiles.forServer) else {
            throw DownloadError(
                .tooManyFiles,
                "the daemon needs at least \(FreeFiles.forServer) more open files: raise the limit (ulimit -n)")
        }
    }

    /// Discards the changes that options of this start replace: not before it is certain that the daemon starts.
    private func discardReplaced(_ keeper: SettingsKeeper) {
        do throws(DownloadError) {
            _ = try keeper.remove(replacedSettings)
        } catch {
            logger.warning("\(error)")
        }
    }

    private func serve(
        _ state: DaemonState, _ sockets: [ListeningSocket], _ messengers: DaemonMessengers,
        _ ready: @escaping @Sendable ([String]) -> Void, _ overdue: @escaping @Sendable () -> Void
    ) async throws(DownloadError) {
        // Threads of its own: transfers never wait for clients, nor clients for transfers.
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let routes = APIRoutes.all(state)
        let limit = OutboundBuffers()
        var listeners: [Listener] = []
        do throws(DownloadError) {
            let token = configuration.port == nil ? nil : try AccessToken.kept(at: configuration.paths.token)
            let mounts = mounts(state, token)
            let tcp = configuration.port.map { ListeningSocket.tcp(address: configuration.address, port: $0) }
            for socket in sockets + [tcp].compactMap(\.self) {
                listeners.append(
                    try await Listener(
                        socket, routes: routes, mounts: mounts, group: group, limit: limit, logger: logger
                    ) { port throws(DownloadError) in
                        try gate(socket, port, state)
                    })
            }
        } catch {
            // Close before their event loop ends, which they still need.
            while let listener = listeners.popLast() { await listener.close() }
            try? await group.shutdownGracefully()
            throw error
        }
        let addresses = listeners.map { listener in
            if case .tcp(let address, _) = listener.socket {
                return ListeningSocket.tcp(address: address, port: listener.port ?? 0).name
            }
            return listener.socket.name
        }
        let services: [any Service] =
            messengers.services(state.manager, environment, group) + [
                ManagerService(manager: state.manager, logger: logger), MemoryService(manager: state.manager),
                RetentionService(state: state, logger: logger),
            ]
            + [ServiceManager(environment: environment)].compactMap(\.self).map {
                NotifyService(manager: state.manager, service: $0)
            }
            + [
                ReloadService(
                    state: state, logger: logger, configuration: configuration, environment: environment,
                    reread: reread, logFile: DaemonLogFile(path: configuration.paths.log))
            ] + listeners
            + [DeadlineService(limit: Self.maxEnd, overdue: overdue)]
        // The service group logs all properties of each service at each step: dozens of lines that say nothing about
        // downloads.
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .notice)
        let plan = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        ready(addresses)
        do {
            try await ServiceGroup(configuration: plan).run()
        } catch {
            logger.error("the daemon stopped", metadata: ["error": "\(error)"])
        }
        try? await group.shutdownGracefully()
    }

    private func gate(
        _ socket: ListeningSocket, _ port: Int?, _ state: DaemonState
    ) throws(DownloadError) -> RequestGate {
        guard !socket.isLocal, let port else { return RequestGate() }
        state.change { $0.port = port }
        var hosts = RequestGate.loopbackHosts + configuration.hosts
        if IPAddress(configuration.address) != nil { hosts.append(configuration.address) }
        let named = TokenKeeper(TokenFile(path: configuration.paths.tokens), logger: logger)
        return RequestGate(
            hosts: hosts, port: port, token: try AccessToken.kept(at: configuration.paths.token), named: named)
    }

    private func managerConfiguration(
        _ settings: ManagerSettings, _ messengers: DaemonMessengers
    ) throws(DownloadError) -> ManagerConfiguration {
        var result = ManagerConfiguration(storage: .file(path: configuration.paths.catalogue))
        result.name = "daemon"
        result.settings = settings
        result.resumesAtLaunch = configuration.resumesAtStart
        result.caCertificatePath = configuration.caCertificatePath ?? UsualCertificates.path(in: environment)
        result.proxies = try configuration.proxies(environment: environment)
        messengers.listen(to: &result)
        result.logger = logger
        // Most of the three seconds until the end of the process is reserved for saving.
        result.hookGrace = .seconds(1)
        return result
    }
}
