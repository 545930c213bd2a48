import NIOCore
import NIOPosix

/// A server that accepts connections and sends nothing.
struct SilentServer {
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    /// The port, on the loopback address.
    let port: Int

    static func start() async throws -> SilentServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let channel = try await ServerBootstrap(group: group).bind(host: "127.0.0.1", port: 0).get()
        return SilentServer(group: group, channel: channel, port: channel.localAddress?.port ?? 0)
    }

    func stop() async {
        try? await channel.close()
        try? await group.shutdownGracefully()
    }
}
