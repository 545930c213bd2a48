import HaulTesting
import Testing

extension FaultServerTests {
    struct CourseTests {
        private let file = FaultServerTests.file

        @Test(arguments: [0, 1, 65_536, 100_000, 300_000] as [Int64])
        func cutsAfterExactlySoManyBytes(_ count: Int64) async throws {
            try await withResponse(.cut(after: count)) { client, server in
                _ = client.readHead()
                #expect(client.readAll() == file.bytes(0..<count) && client.end == .finished)
                #expect(server.totalBodyBytes == count && server.log.requests.first?.ending == .broken)
            }
        }

        @Test(arguments: [0, 1, 65_536, 100_000] as [Int64])
        func resetsAfterExactlySoManyBytes(_ count: Int64) async throws {
            try await withResponse(.reset(after: count)) { client, _ in
                _ = client.readHead()
                #expect(client.readAll() == file.bytes(0..<count) && client.end == .reset)
            }
        }

        /// RST throws away what is not sent: the server has to wait until a slow client's system has it all.
        @Test func aResetWaitsForASlowClient() async throws {
            try await FaultServer.run(["/f": file.script(.reset(after: 30_000))]) { server in
                let client = RawClient(server.port, receiveBuffer: 2048)
                client.ask("/f")
                try await server.until { $0.totalBodyBytes == 30_000 && $0.concurrent == 0 }
                _ = client.readHead()
                #expect(client.readAll() == file.bytes(0..<30_000) && client.end == .reset)
            }
        }

        @Test func resetsBeforeTheHead() async throws {
            try await withResponse(.reset()) { client, _ in
                #expect(client.readAll().isEmpty && client.end == .reset)
            }
        }

        @Test func cutsInTheHead() async throws {
            try await withResponse(.cutInHead(after: 12)) { client, _ in
                #expect(client.readAll() == Array("HTTP/1.1 200".utf8) && client.end == .finished)
            }
        }

        @Test func aPlaceBehindTheEndIsNeverReached() async throws {
            try await withResponse(.cut(after: 300_001).closing()) { client, server in
                _ = client.readHead()
                #expect(client.readAll() == file.allBytes)
                try await server.settled()
                #expect(server.log.requests.first?.ending == .complete)
            }
        }

        @Test func stallsUntilTheServerStops() async throws {
            try await withResponse(.stall(after: 70_000), patience: .milliseconds(200)) { client, server in
                _ = client.readHead()
                #expect(client.readAll() == file.bytes(0..<70_000) && client.end == .silent)
                await server.stop()
                #expect(client.readAll().isEmpty && client.end == .finished)
                #expect(server.log.requests.first?.ending == .stopped)
            }
        }

        @Test func stallsForAWhileAndGoesOn() async throws {
            try await withResponse(.stall(after: 70_000, for: .milliseconds(300))) { client, _ in
                _ = client.readHead()
                #expect(client.read(70_000) == file.bytes(0..<70_000))
                let start = ContinuousClock.now
                #expect(client.read(230_000) == file.bytes(70_000..<300_000))
                #expect(ContinuousClock.now - start > .milliseconds(200))
            }
        }

        @Test func isSilentBeforeTheHead() async throws {
            try await withResponse(.silence(), patience: .milliseconds(100)) { client, _ in
                #expect(client.readAll().isEmpty && client.end == .silent)
            }
        }

        @Test func aClientThatLeavesInAStallIsNoticed() async throws {
            try await FaultServer.run(["/f": file.script(.stall(after: 10))]) { server in
                do {
                    let client = RawClient(server.port)
                    client.ask("/f")
                    _ = client.readHead()
                }
                let log = try await server.settled()
                #expect(log.requests.first?.ending == .clientLeft)
            }
        }

        @Test func delays() async throws {
            let start = ContinuousClock.now
            try await withResponse(.delay(.milliseconds(200))) { client, _ in
                #expect(client.readHead()?.status == 200)
                #expect(ContinuousClock.now - start >= .milliseconds(200))
            }
        }

        @Test func sendsTheHeadByteByByte() async throws {
            let start = ContinuousClock.now
            try await withResponse(.slowHead(.milliseconds(2))) { client, _ in
                #expect(client.readResponse()?.body == file.allBytes)
                #expect(ContinuousClock.now - start >= .milliseconds(400))
            }
        }

        @Test func throttlesSmoothly() async throws {
            try await withResponse(.throttle(500_000)) { client, _ in
                _ = client.readHead()
                let start = ContinuousClock.now
                for part in 1...10 {
                    #expect(client.read(30_000).count == 30_000)
                    // A part takes 60 ms; the first slice and one slice of catching up come at once.
                    let time = ContinuousClock.now - start
                    #expect(time > .milliseconds(part * 60 - 120), "\(part)")
                }
            }
        }

        @Test func throttlesTheWholeServer() async throws {
            try await FaultServer.run(["/f": file], throttle: 1_000_000) { server in
                let clients = (0..<3).map { _ in RawClient(server.port) }
                let start = ContinuousClock.now
                for client in clients { client.ask("/f") }
                for client in clients { #expect(client.readResponse()?.body == file.allBytes) }
                #expect(ContinuousClock.now - start > .milliseconds(750))
                // At this rate it would take hours.
                server.throttle(10)
                server.throttle(nil)
                clients[0].ask("/f")
                #expect(clients[0].readResponse()?.body == file.allBytes)
            }
        }
    }
}
