import HaulTesting
import Testing

extension FaultServerTests {
    struct LogTests {
        @Test func countsWhatIsSentAgain() async throws {
            try await FaultServer.run(["/f": .file(seed: 1, size: 1000)]) { server in
                let client = RawClient(server.port)
                for range in ["0-499", "400-999", "450-459"] {
                    client.ask("/f", "Range: bytes=\(range)")
                    _ = client.readResponse()
                }
                let log = try await server.settled()
                #expect(log.bytesServedAgain("/f") == 110 && log.totalBodyBytes == 1110 && log.bodyBytes("/f") == 1110)
                #expect(log.requests("/f").map(\.served) == [0..<500, 400..<1000, 450..<460])
                #expect(log.requests.allSatisfy { $0.status == 206 && $0.ending == .complete && $0.finished != nil })
                #expect(log.requests(onConnection: 1) == 3 && log.requests(onConnection: 2) == 0)
            }
        }

        /// What the socket has taken is close to what the client has read, though the client reads nothing more.
        @Test func theCountIsHonest() async throws {
            try await FaultServer.run(["/f": .file(seed: 1, size: 50_000_000)]) { server in
                let client = RawClient(server.port, receiveBuffer: 65_536)
                client.ask("/f")
                _ = client.readHead()
                let read = Int64(client.read(1_000_000).count)
                try await server.until { $0.totalBodyBytes >= read }
                #expect(server.totalBodyBytes < read + 600_000)
            }
        }

        @Test func refusesThoseAboveALimit() async throws {
            let file = Resource.file(seed: 1, size: 1000).script(.stall(after: 1)).limit(
                concurrent: 2, otherwise: .status(429))
            try await FaultServer.run(["/f": file]) { server in
                let clients = (0..<4).map { _ in RawClient(server.port) }
                for (index, client) in clients.enumerated() {
                    client.ask("/f")
                    #expect(client.readHead()?.status == (index < 2 ? 200 : 429))
                    try await server.until { $0.concurrent == min(index + 1, 2) }
                }
                #expect(server.maximumConcurrent == 3 && server.log.openConnections == 4 && server.log.connections == 4)
            }
        }

        @Test func aClientHasSoManyConnectionsAndNoMore() async throws {
            let files: [String: Resource] = [
                "/a": .file(seed: 1, size: 10).script(.stall(after: 1)), "/b": .file(seed: 2, size: 10),
            ]
            try await FaultServer.run(files, clientLimit: ClientLimit(connections: 2)) { server in
                let first = RawClient(server.port)
                first.ask("/a")
                #expect(first.readHead()?.status == 200)
                var second: RawClient? = RawClient(server.port)
                for _ in 0..<2 {
                    second?.ask("/b")
                    #expect(second?.readResponse()?.head.status == 200, "a connection that has its place keeps it")
                }
                let third = RawClient(server.port)
                third.ask("/b")
                #expect(third.readHead()?.status == 429, "the limit counts over all resources")
                second = nil
                try await server.until { $0.openConnections <= 2 }
                let fourth = RawClient(server.port)
                fourth.ask("/b")
                #expect(fourth.readHead()?.status == 200, "who leaves gives the place back")
            }
        }

        @Test func waitsEndWithTheirTask() async throws {
            try await FaultServer.run([:]) { server in
                let task = Task { try await server.until { _ in false } }
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            }
        }
    }
}
