import NIOCore
import NIOPosix
import Synchronization

/// A proxy for tests, on a free port of this machine.
///
/// Names that end in `.test` are this machine for it, so that a test can tell who looked a name up.
package final class TestProxy: Sendable {
    /// What it understands.
    package enum Kind: Sendable {
        /// `CONNECT` and absolute URLs; with `user:password` in base64, for who says so alone.
        case http(authorization: String? = nil)
        /// SOCKS 5 without authentication (RFC 1928).
        case socks5
        /// SOCKS 5 that finds no way to log in acceptable.
        case socks5WithLogin
        /// Nothing: all goes to a port of 127.0.0.1.
        case relay(to: Int)
    }

    /// The port it listens on.
    package let port: Int
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup
    private let seen: Seen

    /// What was asked of it.
    final class Seen: Sendable {
        private let heads = Mutex<[String]>([])
        private let connections = Mutex(0)

        var all: [String] { heads.withLock { $0 } }
        var count: Int { connections.withLock { $0 } }
        func add(_ head: String) { heads.withLock { $0.append(head) } }
        func connected() { connections.withLock { $0 += 1 } }
    }

    /// Starts a proxy, gives it to the closure, and stops it whatever the closure does.
    package static func run<Value>(
        _ kind: Kind, host: String = "127.0.0.1", refuses: Bool = false, _ body: (TestProxy) async throws -> Value
    ) async throws -> Value {
        let proxy = try await TestProxy(kind, host, refuses)
        do {
            let value = try await body(proxy)
            try? await proxy.group.shutdownGracefully()
            return value
        } catch {
            try? await proxy.group.shutdownGracefully()
            throw error
        }
    }

    private init(_ kind: Kind, _ host: String, _ refuses: Bool) async throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let seen = Seen()
        self.seen = seen
        channel = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    seen.connected()
                    let handler = ProxyHandler(kind, refuses: refuses, seen: seen)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: host, port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    /// The heads of the requests that were sent to it itself, as text; for SOCKS `host:port`.
    package var heads: [String] { seen.all }

    /// How many connections were made to it.
    package var connections: Int { seen.count }
}
