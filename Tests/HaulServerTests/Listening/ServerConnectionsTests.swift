import Foundation
import HaulTestTraits
import HaulTesting
import NIOCore
import NIOPosix
import Testing

@testable import HaulServer

@Suite("Connections that ask nothing", .usesSockets)
struct ServerConnectionsTests {
    private static func connect(_ port: Int) async throws -> any Channel {
        try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connect(host: "127.0.0.1", port: port)
            .get()
    }

    @Test("Those that have been idle the longest make room, a stream of events stays, and the daemon answers")
    func crowd() async throws {
        try await ServedTrial.run(connections: 4) { trial in
            let stream = try await RawClient.connect(trial.port)
            try await stream.executeThenClose { inbound, outbound in
                let head = "GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:\(trial.port)\r\n"
                let token = "Authorization: Bearer \(trial.token.text)\r\n\r\n"
                try await outbound.write(ByteBuffer(string: head + token))
                var parts = inbound.makeAsyncIterator()
                _ = try await parts.next()
                var crowd: [any Channel] = []
                for _ in 0..<20 { crowd.append(try await Self.connect(trial.port)) }
                let response = try await trial.raw("GET /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\n\r\n")
                #expect(RawClient.status(response) == 200)
                let began = ContinuousClock.now
                for channel in crowd[..<15] { try await channel.closeFuture.get() }
                // The daemon's patience with a connection that asks nothing would have ended after 15 s.
                #expect(ContinuousClock.now - began < .seconds(10))
                #expect(stream.channel.isActive)
                for channel in crowd[15...] { try? await channel.close() }
            }
        }
    }

    @Test(
        "when the socket is no longer served, every connection is closed, and those that come afterwards",
        .timeLimit(.minutes(1)))
    func over() async throws {
        let connections = ServerConnections(limit: 8)
        let (entered, enters) = AsyncStream<Void>.makeStream()
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                _ = connections.enter(channel)
                enters.yield()
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(server.localAddress?.port)
        let first = try await Self.connect(port)
        for await _ in entered { break }
        #expect(first.isActive)
        connections.closeAll()
        try await first.closeFuture.get()
        try await Self.connect(port).closeFuture.get()
        try await server.close()
    }
}
