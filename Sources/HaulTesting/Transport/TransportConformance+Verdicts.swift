import HaulTransport
import Synchronization

extension TransportConformance {
    static let verdictChecks = [
        Check(
            description: "a small rejected body is read away, and its connection used again", needs: [.keptConnections],
            run: checkSmallReject),
        Check(description: "a large rejected body is not waited for", run: checkLargeReject),
        Check(description: "a rejected body that doesn't come is not waited for", run: checkStuckReject),
        Check(description: "enough ends the transfer and the connection", run: checkEnough),
        Check(description: "a wake-up answered with enough ends the transfer", run: checkWokenEnough),
        Check(description: "enough at the very end of the body", run: checkEnoughAtEnd),
    ]

    private static let rejecting: @Sendable () -> TransportConformanceSink = {
        TransportConformanceSink(head: { _ in .reject })
    }

    static func checkSmallReject(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while let request = try await connection.request() {
                let isChunked = request.hasPrefix("GET /chunked")
                let framing = isChunked ? "Transfer-Encoding: chunked\r\n\r\nFA00\r\n" : "Content-Length: 64000\r\n\r\n"
                try await connection.send("HTTP/1.1 404 Not Found\r\n" + framing)
                try await connection.send(pattern: 0..<64_000)
                if isChunked { try await connection.send("\r\n0\r\n\r\n") }
            }
        } body: { context in
            for number in 0..<6 {
                let record = try await context.fetch(number % 2 == 0 ? "/" : "/chunked", sink: rejecting())
                try expect(record.outcome, is: .rejected, "outcome")
                try expect(record.bodyCalls, is: 0, "calls of body")
            }
            // On a busy machine, a request may take longer than a transport waits.
            let count = context.server.connectionCount
            try expect(count <= 2, "\(count) connections for 6 requests")
        }
    }

    static func checkLargeReject(make: MakeTransport) async throws {
        let isClosed = Mutex(false)
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\n")
            do {
                while true { try await connection.send(pattern: 0..<65_536) }
            } catch {
                isClosed.withLock { $0 = true }
            }
        } body: { context in
            let (record, duration) = try await time { try await context.fetch(sink: rejecting()) }
            try expect(record.outcome, is: .rejected, "outcome")
            try expect(record.bodyCalls, is: 0, "calls of body")
            try expect(duration < promptly, "took \(duration)")
            for path in ["/", "/"] {
                try expect(try await context.fetch(path, sink: rejecting()).outcome, is: .rejected, path)
            }
            try expect(isClosed.withLock { $0 }, "the connection of a large rejected body stays open")
        }
    }

    static func checkStuckReject(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 404 Not Found\r\nContent-Length: 100\r\n\r\nThe rest ne")
            try await connection.closed()
        } body: { context in
            let (record, duration) = try await time { try await context.fetch(sink: rejecting()) }
            try expect(record.outcome, is: .rejected, "outcome")
            try expect(duration < promptly, "took \(duration)")
        }
    }

    static func checkEnough(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n")
            try await connection.send(pattern: 0..<250_000)
            try await connection.closed()
        } body: { context in
            let record = try await context.fetch(sink: TransportConformanceSink(body: { _ in .enough }))
            try expect(record.outcome, is: .enough, "outcome")
            try expect(record.bodyCalls, is: 1, "calls of body")
            _ = try await context.fetch(sink: TransportConformanceSink(body: { _ in .enough }))
            try expect(context.server.connectionCount, is: 2, "connections")
        }
    }

    static func checkWokenEnough(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\n\r\n")
            try await connection.send(pattern: 0..<10)
            try await connection.closed()
        } body: { context in
            for first in [BodyVerdict.more, .pause, .pauseFor(.seconds(60))] {
                let sink = TransportConformanceSink(body: { _ in first }, woken: { _ in .enough })
                let handle = context.start(sink: sink)
                try await sink.wait("the first bytes") { $0.bodyCalls > 0 }
                handle.wake()
                try expect(try await sink.outcome(), is: .enough, "outcome after \(first)")
            }
        }
    }

    static func checkEnoughAtEnd(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while try await connection.request() != nil {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n\u{0}\u{1}\u{2}\u{3}")
            }
        } body: { context in
            for _ in 0..<10 {
                let record = try await context.fetch(sink: TransportConformanceSink(body: { _ in .enough }))
                try expect(record.outcome, is: .enough, "outcome")
            }
        }
    }
}
