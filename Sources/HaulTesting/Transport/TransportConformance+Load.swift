import HaulTestData
import HaulTransport

extension TransportConformance {
    static let loadChecks = [
        Check(description: "64 transfers at once", run: checkParallel),
        Check(description: "1,000 races between cancel, wake-up and the end", run: checkRaces),
    ]

    static func checkParallel(make: MakeTransport) async throws {
        let size = 300_000
        try await TransportConformanceContext.run(make) { connection in
            while try await connection.request() != nil {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
                for start in stride(from: 0, to: size, by: 100_000) {
                    try await connection.send(pattern: start..<start + 100_000)
                }
            }
        } body: { context in
            let sinks = (0..<64).map { _ in TransportConformanceSink() }
            for sink in sinks { _ = context.start(sink: sink) }
            for sink in sinks {
                try expect(try await sink.outcome(), is: .complete, "outcome")
                try expect(sink.record.byteCount, is: size, "bytes")
            }
        }
    }

    /// Runs races: one transfer each, with seeded responses, verdicts, and wake-ups and cancels at seeded times.
    static func checkRaces(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while let request = try await connection.request() {
                let digits = request.dropFirst("GET /".count).prefix { $0.isNumber }
                try await response(seed: UInt64(digits) ?? 0, connection)
            }
        } body: { context in
            for batch in 0..<50 {
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for number in 0..<20 {
                        let seed = UInt64(batch * 20 + number)
                        tasks.addTask { try await race(seed: seed, context) }
                    }
                    try await tasks.waitForAll()
                }
            }
        }
    }

    private static func response(seed: UInt64, _ connection: TransportConformanceConnection) async throws {
        var random = SeededGenerator(seed: seed)
        let size = Int(random.next() % 3) * 2000
        let cut = random.next() % 8 == 0
        try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
        for start in stride(from: 0, to: cut ? size / 2 : size, by: 1000) {
            try await connection.send(pattern: start..<start + 1000)
            if random.next() % 4 == 0 { await Task.yield() }
        }
        if cut { throw TransportConformanceFailure("cut") }
    }

    private static func race(seed: UInt64, _ context: TransportConformanceContext) async throws {
        var random = SeededGenerator(seed: seed &* 31 &+ 7)
        let verdicts: [BodyVerdict] = [.more, .more, .pause, .pauseFor(.microseconds(200)), .enough]
        let choice = Int(random.next() % 64)
        let sink = TransportConformanceSink(
            head: { _ in choice % 9 == 0 ? .reject : .accept },
            body: { verdicts[(choice + $0.bodyCalls) % verdicts.count] },
            woken: { verdicts[(choice + $0.wakes * 3) % verdicts.count] })
        let handle = context.start("/\(seed)", sink: sink)
        for _ in 0..<Int(random.next() % 6) {
            handle.wake()
            for _ in 0..<Int(random.next() % 20) { await Task.yield() }
        }
        if random.next() % 2 == 0 { try await Task.sleep(for: .microseconds(Int(random.next() % 2000))) }
        // Otherwise a transfer that was paused last would never end.
        handle.cancel()
        handle.wake()
        try await sink.outcome()
        handle.cancel()
    }
}
