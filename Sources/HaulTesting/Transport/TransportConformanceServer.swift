import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server on 127.0.0.1 that runs one script per connection: raw bytes, in the script's own time.
final class TransportConformanceServer: Sendable {
    typealias Script = @Sendable (TransportConformanceConnection) async throws -> Void

    /// The port that the system chose.
    let port: Int
    private let accepted = Mutex(0)

    /// How many connections have come so far.
    var connectionCount: Int { accepted.withLock { $0 } }

    private init(port: Int) {
        self.port = port
    }

    /// An address on this server.
    func url(_ path: String = "/", scheme: String = "http") -> String {
        "\(scheme)://127.0.0.1:\(port)\(path)"
    }

    /// Runs the server as long as `body` runs.
    ///
    /// Scripts that are still running then are cancelled, and what they throw is ignored.
    static func run(_ script: @escaping Script, body: (TransportConformanceServer) async throws -> Void) async throws {
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 512)
            .bind(host: "127.0.0.1", port: 0) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let server = TransportConformanceServer(port: listener.channel.localAddress?.port ?? 0)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await server.accept(listener, script) }
            try await body(server)
            tasks.cancelAll()
        }
    }

    private func accept(
        _ listener: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>, _ script: @escaping Script
    )
        async throws
    {
        try await listener.executeThenClose { connections in
            await withDiscardingTaskGroup { tasks in
                do {
                    for try await channel in connections {
                        let number = accepted.withLock {
                            $0 += 1; return $0
                        }
                        tasks.addTask { try? await Self.serve(channel, number: number, script) }
                    }
                } catch {}
            }
        }
    }

    private static func serve(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>, number: Int, _ script: Script)
        async throws
    {
        try await channel.executeThenClose { inbound, _ in
            let (received, continuation) = AsyncStream<ByteBuffer>.makeStream()
            await withTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    do { for try await bytes in inbound { continuation.yield(bytes) } } catch {}
                    continuation.finish()
                }
                let connection = TransportConformanceConnection(
                    number: number, channel: channel.channel, received: received)
                try? await script(connection)
                tasks.cancelAll()
            }
        }
    }
}

/// The server's end of one connection.
///
/// It is closed when its script returns.
final class TransportConformanceConnection {
    /// 1 for the first connection to the server.
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

    /// The next request's head with its empty line, or nothing when the client has closed.
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

    /// Sends that many bytes of the pattern from a position where it begins anew, quickly.
    func sendPiece(count: Int) async throws {
        try await write(Self.piece.getSlice(at: 0, length: count) ?? ByteBuffer())
    }

    /// Returns when the kernel has all of it.
    ///
    /// The channel's own writer takes more than that: it hears late that it has to wait.
    private func write(_ bytes: ByteBuffer) async throws {
        try await channel.writeAndFlush(bytes).get()
    }

    private static let piece = ByteBuffer(bytes: (0..<251 << 10).map(TransportConformanceSink.pattern))

    /// Closes with RST instead of FIN.
    func reset() async throws {
        // socket(7): closing with a linger time of zero throws away what was not sent.
        try await (channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await channel.close()
    }
}
