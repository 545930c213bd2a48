import Foundation
import NIOCore
import NIOPosix

/// Sends bytes that no proper client would, and reads what comes back.
enum RawClient {
    /// Sends a text, and reads until the other side closes.
    static func send(_ text: String, port: Int) async throws -> String {
        let channel = try await connect(port)
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            var response = ""
            do {
                for try await part in inbound { response += String(buffer: part) }
            } catch is IOError {
                // A reset after the answer is an end, too.
            }
            return response
        }
    }

    /// A connection that nothing is sent over yet.
    ///
    /// - Parameter window: How many bytes the kernel takes for it, about, and then nothing is read ahead; nil: as many as it likes.
    static func connect(_ port: Int, window: Int? = nil) async throws -> NIOAsyncChannel<ByteBuffer, ByteBuffer> {
        var bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
        if let window { bootstrap = bootstrap.channelOption(.socketOption(.so_rcvbuf), value: .init(window)) }
        return try await bootstrap.connect(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                var configuration = NIOAsyncChannel<ByteBuffer, ByteBuffer>.Configuration()
                if window != nil { configuration.backPressureStrategy = .init(lowWatermark: 1, highWatermark: 1) }
                return try NIOAsyncChannel(wrappingChannelSynchronously: channel, configuration: configuration)
            }
        }
    }

    /// The status of an answer.
    static func status(_ response: String) -> Int? {
        response.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
    }
}
