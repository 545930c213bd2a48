import HaulHTTPServing
import HaulLibC
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A small server for `aria2c --enable-rpc`: HTTP and WebSocket on one port.
package struct Aria2Server: Sendable {
    /// The address to listen on.
    package struct Address: Hashable, Sendable {
        /// The host address.
        package var host: String
        /// The port; 0 for any free one.
        package var port: Int

        /// Creates an address.
        package init(host: String = "127.0.0.1", port: Int = 6800) {
            self.host = host
            self.port = port
        }
    }

    /// A connection, after its first request has determined its type.
    enum Connection: Sendable {
        case http(NIOAsyncChannel<HTTPServerRequestPart, Aria2ResponsePart>)
        case webSocket(Aria2WebSocket.Frames, notifiesAtOnce: Bool)
    }

    private let http: Aria2HTTP
    private let address: Address
    private let connections = Aria2Connections()

    /// The maximum number of simultaneous connections.
    static let maxConnections = 512
    /// The time in which a request must arrive.
    static let patience = TimeAmount.seconds(60)

    /// Creates a server that does not listen yet.
    package init(_ http: Aria2HTTP, at address: Address) {
        self.http = http
        self.address = address
    }

    /// Listens until the task is cancelled; the port is free when it returns.
    ///
    /// - Parameter listening: Called with the port when connections are accepted.
    /// - Throws: The system's error if it cannot listen there.
    package func run(listening: @Sendable (Int) -> Void) async throws {
        guard FreeFiles.suffice(for: FreeFiles.perEventLoop + FreeFiles.spare) else {
            throw IOError(errnoCode: EMFILE, reason: "event loop")
        }
        let loops = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        do {
            try await serve(loops, listening)
        } catch is CancellationError {
            // This is the normal end.
        } catch {
            try? await loops.shutdownGracefully()
            throw error
        }
        try? await loops.shutdownGracefully()
    }

    /// Returns the system's message for an error of `run`.
    package static func reason(_ error: any Error) -> String {
        guard let code = (error as? IOError)?.errnoCode else { return "the address or the port can't be used" }
        // Unsafe: strerror returns a static or thread-local C string, which is copied at once.
        return unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    private func serve(_ loops: MultiThreadedEventLoopGroup, _ listening: @Sendable (Int) -> Void) async throws {
        let bootstrap = ServerBootstrap(group: loops)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        let channel = try await bootstrap.bind(host: address.host, port: address.port) { child in
            child.eventLoop.makeCompletedFuture { (try configure(child), ConnectionDeadline(child)) }
        }
        listening(channel.channel.localAddress?.port ?? address.port)
        try await withThrowingDiscardingTaskGroup { tasks in
            try await channel.executeThenClose { inbound in
                for try await (connection, deadline) in inbound {
                    guard connections.enter() else {
                        deadline.close()
                        continue
                    }
                    tasks.addTask {
                        await handle(connection, deadline)
                        connections.leave()
                    }
                }
            }
            tasks.cancelAll()
        }
    }

    /// Handles a connection.
    ///
    /// A client's error ends only its own connection.
    private func handle(_ connection: EventLoopFuture<Connection>, _ deadline: ConnectionDeadline) async {
        deadline.set()
        await withTaskCancellationHandler {
            do {
                switch try await connection.get() {
                case .http(let channel): try await Aria2HTTPConnection(http, deadline).serve(channel)
                case .webSocket(let frames, let notifiesAtOnce):
                    deadline.lift()
                    try await Aria2WebSocket.serve(frames, http.rpc, notifiesAtOnce: notifiesAtOnce)
                }
            } catch {
                deadline.close()
            }
            deadline.lift()
        } onCancel: {
            deadline.close()
        }
    }

    private func configure(_ channel: any Channel) throws -> EventLoopFuture<Connection> {
        let maxBytes = http.rpc.configuration.maxBytes
        let upgrader = NIOTypedWebSocketServerUpgrader<Connection>(
            maxFrameSize: maxBytes,
            // `RequestFront` has decided that before.
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture(HTTPHeaders()) },
            upgradePipelineHandler: { channel, head in
                channel.eventLoop.makeCompletedFuture {
                    .webSocket(
                        try Aria2WebSocket.frames(channel, maxBytes: maxBytes),
                        notifiesAtOnce: http.notifiesAtOnce(Aria2HTTP.Request(head, body: [])))
                }
            })
        let rules = RequestFront.Rules(
            admitsWebSocket: { [http] head throws(RequestFault) in
                let request = Aria2HTTP.Request(head, body: [])
                guard request.path == Aria2HTTP.path else { return false }
                guard http.admits(request) else {
                    throw RequestFault(403, "pages of other sites are not allowed")
                }
                return true
            },
            render: { fault in (["Content-Type": "text/plain; charset=utf-8"], Array("\(fault.message)\n".utf8)) })
        return try RequestFront.configure(
            channel, rules, limits: NIOHTTPDecoderLimitConfiguration(), upgraders: [upgrader]
        ) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Aria2ResponseHandler())
                return .http(try NIOAsyncChannel(wrappingChannelSynchronously: channel))
            }
        }
    }
}

/// Counts the open connections.
final class Aria2Connections: Sendable {
    private let count = Mutex(0)

    /// Counts a new connection.
    ///
    /// - Returns: False if the maximum is reached.
    func enter() -> Bool {
        count.withLock { count in
            guard count < Aria2Server.maxConnections else { return false }
            count += 1
            return true
        }
    }

    func leave() { count.withLock { $0 -= 1 } }
}
