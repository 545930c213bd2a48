import HTTPTypes
package import HaulCore
import HaulLibC
import HummingbirdCore
package import Logging
import NIOCore
package import NIOPosix
import ServiceLifecycle

/// Listens on one socket and serves its connections until the daemon stops.
package struct Listener: Service {
    /// The socket.
    package let socket: ListeningSocket
    /// The port, for TCP.
    package let port: Int?
    private let channel: NIOAsyncChannel<NewConnection, Never>
    private let http: HTTP1Channel
    private let connections: ServerConnections
    private let logger: Logger

    /// The time that requests in progress have to finish when the daemon stops.
    static let grace = Duration.milliseconds(500)

    /// Listens; nothing is served before `run`.
    ///
    /// - Parameters:
    ///   - limit: The limit on bytes waiting for slow clients, shared by all sockets of a daemon.
    ///   - connections: The maximum number of open connections while one is idle; nil derives it from the process's
    ///     limit on open files.
    ///   - gate: Makes the gate, once the port is known.
    /// - Throws: `DownloadError` with code `fileFailed` if listening fails.
    package init(
        _ socket: ListeningSocket, routes: [APIRoute], mounts: Mounts, group: MultiThreadedEventLoopGroup,
        limit: OutboundBuffers = OutboundBuffers(), connections: Int? = nil, logger: Logger,
        gate: (_ port: Int?) throws(DownloadError) -> RequestGate
    ) async throws(DownloadError) {
        let box = GateBox()
        let tracked = ServerConnections(limit: connections ?? DescriptorLimit.connections)
        let setup = ConnectionSetup(mounts: mounts.webSockets, box: box, limit: limit, open: tracked, logger: logger)
        do {
            channel = try await Self.bind(socket, group, setup)
        } catch {
            throw Self.failure(error, at: socket)
        }
        let port = channel.channel.localAddress?.port
        let own = try gate(port)
        box.gate = own
        let dispatcher = Dispatcher(routes + mounts.routes, gate: own, isLocal: socket.isLocal)
        http = HTTP1Channel { request, writer, channel in
            let response = await dispatcher.respond(to: request, on: channel, logger: logger)
            try await writer.write(response: response.head, body: response.body)
        }
        (self.socket, self.port, self.connections, self.logger) = (socket, port, tracked, logger)
    }

    /// Stops listening, if it was never run.
    func close() async { try? await channel.executeThenClose { _ in } }

    /// Checks that a daemon could listen on a TCP address and port now, by listening for a moment.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`, with the same message as the daemon's.
    package static func tryTCP(address: String, port: Int) async throws(DownloadError) {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: address, port: port).get()
            try await channel.close()
        } catch {
            throw failure(error, at: .tcp(address: address, port: port))
        }
    }

    /// Returns the error for a failed bind, with the reason.
    private static func failure(_ error: any Error, at socket: ListeningSocket) -> DownloadError {
        let code = (error as? IOError)?.errnoCode
        let what =
            switch code {
            case EADDRINUSE: "another program is using it: stop that program, or choose another address or port"
            case EADDRNOTAVAIL: "this machine does not have that address"
            case EACCES, EPERM: "permission denied: a port below 1024 requires privileges"
            case _: "check the address"
            }
        return DownloadError(
            .fileFailed, "the daemon can't listen at \(socket.name): \(what)",
            cause: code.map(SystemFailure.text) ?? "\(error)")
    }

    private static func bind(
        _ socket: ListeningSocket, _ group: MultiThreadedEventLoopGroup, _ setup: ConnectionSetup
    ) async throws -> NIOAsyncChannel<NewConnection, Never> {
        let spare = SpareDescriptors()
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptGuard(spare))
                }
            }
            .serverChannelOption(.backlog, value: 512)
            // A client that has closed its side is gone: a stream of events would not notice otherwise.
            .childChannelOption(.allowRemoteHalfClosure, value: false)
        switch socket {
        case .unix(let path):
            let channel = try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true, childChannelInitializer: setup.setUp)
            // Unsafe: the path is copied by the call. Until now the folder's mode has kept other users out.
            guard unsafe chmod(path, 0o600) == 0 else {
                throw SystemFailure.error("can't set the mode of \(path)", errno)
            }
            return channel
        case .tcp(let address, let port):
            return try await bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .bind(host: address, port: port, childChannelInitializer: setup.setUp)
        case .inherited(let descriptor, _):
            return try await bootstrap.bind(descriptor, childChannelInitializer: setup.setUp)
        }
    }

    /// Serves connections until the daemon stops; requests in progress then have a short time to finish.
    package func run() async throws {
        let channel = channel
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await serve() }
            tasks.addTask {
                // Returns when the daemon is stopping.
                try? await gracefulShutdown()
                channel.channel.close(promise: nil)
                try? await Task.sleep(for: Self.grace)
            }
            await tasks.next()
            tasks.cancelAll()
        }
        // A connection may have been accepted that nothing serves any more.
        connections.closeAll()
    }

    private func serve() async {
        do {
            try await channel.executeThenClose { connections in
                try await withThrowingDiscardingTaskGroup { tasks in
                    for try await connection in connections { tasks.addTask { await serve(connection) } }
                }
            }
        } catch {
            logger.debug("listening ended", metadata: ["error": "\(error)"])
        }
    }

    /// Serves one connection; closes it when the daemon stops.
    private func serve(_ connection: NewConnection) async {
        await withTaskCancellationHandler {
            do {
                switch try await connection.future.get() {
                case .http(let channel): await http.handle(value: channel, logger: logger)
                case .webSocket(let channel, let mount): await mount.serve(channel, socket.isLocal)
                }
            } catch {
                logger.trace("connection ended", metadata: ["error": "\(error)"])
            }
        } onCancel: {
            connection.channel.close(promise: nil)
        }
    }
}

/// An address that the daemon listens on.
package enum ListeningSocket: Hashable, Sendable {
    /// A Unix socket at this path, which is created.
    case unix(path: String)
    /// An address and port; port 0 means any free port.
    case tcp(address: String, port: Int)
    /// A socket inherited from the parent process, such as systemd.
    case inherited(descriptor: Int32, isLocal: Bool)

    /// True for a Unix socket.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp: false
        case .inherited(_, let isLocal): isLocal
        }
    }

    /// The address, for people.
    package var name: String {
        switch self {
        case .unix(let path): path
        case .tcp(let address, let port): address.contains(":") ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .inherited(let descriptor, _): "the inherited socket \(descriptor)"
        }
    }
}
