import HaulLibC
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A server on 127.0.0.1 that runs one script per connection: raw bytes, with the script's own timing.
final class TransportConformanceServer: Sendable {
    typealias Script = @Sendable (TransportConformanceConnection) async throws -> Void

    /// The port that the system chose.
    let port: Int
    private let connections: TransportConformanceConnections

    /// The number of connections so far.
    var connectionCount: Int { connections.count }

    private init(port: Int, _ connections: TransportConformanceConnections) {
        self.port = port
        self.connections = connections
    }

    /// Returns a URL of this server.
    func url(_ path: String = "/", scheme: String = "http") -> String {
        "\(scheme)://127.0.0.1:\(port)\(path)"
    }

    /// Runs the server while `body` runs.
    ///
    /// Scripts that are still running afterwards are cancelled, and their errors are ignored.
    static func run(
        _ script: @escaping Script, overTLS: Bool = false, body: (TransportConformanceServer) async throws -> Void
    ) async throws {
        let tls = overTLS ? try TransportConformanceTLS.context() : nil
        let connections = TransportConformanceConnections()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 512)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.addHandler(connections.receiver())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = TransportConformanceServer(port: listener.localAddress?.port ?? 0, connections)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await connections.serve(script) }
            let result: Result<Void, any Error>
            do { result = .success(try await body(server)) } catch { result = .failure(error) }
            tasks.cancelAll()
            connections.end()
            try? await listener.close()
            try result.get()
        }
    }
}

/// The server's end of one connection.
///
/// It is closed when its script returns.
final class TransportConformanceConnection {
    /// The number of the connection, from 1.
    let number: Int
    private let channel: any Channel
    private var received: AsyncStream<ByteBuffer>.Iterator
    private var unread = ""

    init(
        number: Int, channel: any Channel, received: AsyncStream<ByteBuffer>
    ) {
        self.number = number
        self.channel = channel
        self.received = received.makeAsyncIterator()
    }

    /// Returns the next request's head with its empty line; nil if the client has closed.
    func request() async throws -> String? {
        while true {
            if let end = unread.firstRange(of: "\r\n\r\n") {
                defer { unread.removeSubrange(..<end.upperBound) }
                return String(unread[..<end.upperBound])
            }
            guard let bytes = await received.next(isolation: #isolation) else { return nil }
            unread += String(buffer: bytes)
        }
    }

    /// Returns the next bytes of a body; nil if the client has closed.
    func body(count: Int) async throws -> String? {
        while unread.utf8.count < count {
            guard let bytes = await received.next(isolation: #isolation) else { return nil }
            unread += String(buffer: bytes)
        }
        let end = unread.utf8.index(unread.startIndex, offsetBy: count)
        defer { unread.removeSubrange(..<end) }
        return String(unread[..<end])
    }

    /// Waits until the client closes.
    func closed() async throws {
        while await received.next(isolation: #isolation) != nil {}
    }

    /// Sends text.
    ///
    /// Waits while the client reads nothing and the kernel's buffers are full.
    func send(_ text: String) async throws {
        try await write(ByteBuffer(string: text))
    }

    /// Sends bytes.
    func send(bytes: [UInt8]) async throws {
        try await write(ByteBuffer(bytes: bytes))
    }

    /// Sends bytes of the pattern that `TransportConformanceSink` checks.
    func send(pattern range: Range<Int>) async throws {
        try await write(ByteBuffer(bytes: range.lazy.map(TransportConformanceSink.pattern)))
    }

    /// Sends `count` bytes of the pattern, from the start of a period; faster than `send(pattern:)`.
    func sendPiece(count: Int) async throws {
        try await write(Self.piece.getSlice(at: 0, length: count) ?? ByteBuffer())
    }

    /// Returns when the kernel has accepted all bytes.
    ///
    /// The channel's own writer accepts more than the kernel, and would report too late that it must wait.
    private func write(_ bytes: ByteBuffer) async throws {
        try await channel.writeAndFlush(bytes).get()
    }

    private static let piece = ByteBuffer(bytes: (0..<251 << 10).map(TransportConformanceSink.pattern))

    /// Closes the connection underneath TLS: the client gets FIN without close_notify.
    func cutTLS() async throws {
        let channel = channel
        try await channel.eventLoop.flatSubmit {
            channel.pipeline.context(handlerType: NIOSSLServerHandler.self).flatMap { context in
                let promise = channel.eventLoop.makePromise(of: Void.self)
                context.close(promise: promise)
                return promise.futureResult
            }
        }.get()
    }

    /// Closes with RST instead of FIN.
    func reset() async throws {
        // socket(7): closing with a linger time of zero discards unsent data.
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }
}
