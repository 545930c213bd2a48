package import HaulCore
import NIOCore
import NIOPosix

extension ListeningSocket {
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
            throw Listener.failure(error, at: .tcp(address: address, port: port))
        }
    }
}
