import NIOCore
import NIOPosix
import Synchronization

/// A proxy for tests, on a free port of this machine.
///
/// The proxy resolves names that end in `.test` to this machine, so that a test can tell if the client resolved a name
/// itself.
package final class TestProxy: Sendable {
    /// The protocol of the proxy.
    package enum Kind: Sendable {
        /// `CONNECT` and absolute URLs; rejects clients without `authorization`, which is `user:password` in base64.
        case http(authorization: String? = nil)
        /// SOCKS 5 without authentication (RFC 1928).
        case socks5
        /// SOCKS 5 that accepts no authentication method.
        case socks5WithLogin
        /// No protocol: all bytes are relayed to a port of 127.0.0.1.
        case relay(to: Int)
    }

    /// The port on which the proxy listens.
    package let port: Int
    private let channel: any Channel
    private let group: MultiThreadedEventLoopGroup
    private let seen: Seen

    /// The requests that the proxy received.
    final class Seen: Sendable {
        private let heads = Mutex<[String]>([])
        private let connections = Mutex(0)

        var all: [String] { heads.withLock { $0 } }
        var count: Int { connections.withLock { $0 } }
        func add(_ head: String) { heads.withLock { $0.append(head) } }
        func connected() { connections.withLock { $0 += 1 } }
    }

    /// Starts a proxy, passes it to the closure, and stops it in any case.
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

    /// The heads of the requests sent to the proxy itself, as text; `host:port` for SOCKS.
    package var heads: [String] { seen.all }

    /// The number of connections made to the proxy.
    package var connections: Int { seen.count }
}
