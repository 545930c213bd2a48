import HaulTransport
import Synchronization

extension TransportConformance {
    static let pauseChecks = [
        Check(
            description: "a pause stops the server, and a wake-up resumes it", needs: [.backPressure],
            run: checkPauseHoldsBack),
        Check(description: "a wake-up can pause a running transfer", needs: [.backPressure], run: checkWakePauses),
        Check(description: "a wake-up before the head applies to the body", run: checkWakeBeforeHead),
        Check(description: "pauseFor resumes by itself, not too early", run: checkPauseFor),
        Check(description: "a wake-up shortens and lengthens a pauseFor", run: checkWokenPauseFor),
        Check(description: "the end of a body waits behind a pause", run: checkEndBehindPause),
    ]

    private static let size = 96 << 20

    /// Sends a body of 96 MiB, and counts the bytes sent.
    private static func bigBody(_ sent: borrowing Mutex<Int>, _ connection: TransportConformanceConnection) async throws
    {
        _ = try await connection.request()
        try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
        for start in stride(from: 0, to: size, by: 251 << 10) {
            let end = min(size, start + 251 << 10)
            try await connection.sendPiece(count: end - start)
            sent.withLock { $0 = end }
        }
        try await connection.closed()
    }

    /// Waits until the server has been unable to send for 300 ms, and returns how much it had sent.
    private static func stalled(_ sent: borrowing Mutex<Int>) async throws -> Int {
        var last = -1
        for _ in 0..<60 {
            let now = sent.withLock { $0 }
            if now == last { return now }
            last = now
            // The absence of events can only be detected by waiting.
            try await Task.sleep(for: .milliseconds(300))
        }
        throw TransportConformanceFailure("the server was never held back")
    }

    static func checkPauseHoldsBack(make: MakeTransport) async throws {
        let sent = Mutex(0)
        try await TransportConformanceContext.run(make, script: { try await bigBody(sent, $0) }) { context in
            let sink = TransportConformanceSink(body: { $0.bodyCalls == 1 ? .pause : .more })
            let handle = context.start(sink: sink)
            try await sink.wait("the first bytes") { $0.bodyCalls == 1 }
            let amount = try await stalled(sent)
            // Most of it is in the kernel's buffers: tcp_rmem and tcp_wmem allow up to 36 MiB on some machines.
            try expect(amount < 48 << 20, "\(amount) bytes went out to a paused sink")
            try expect(sink.record.bodyCalls, is: 1, "calls of body during the pause")
            handle.wake()
            try expect(try await sink.outcome(), is: .complete, "outcome")
            try expect(sink.record.byteCount, is: size, "bytes")
        }
    }

    static func checkWakePauses(make: MakeTransport) async throws {
        let sent = Mutex(0)
        try await TransportConformanceContext.run(make, script: { try await bigBody(sent, $0) }) { context in
            // The body is slow until the wake-up has arrived, since it would often be too late otherwise.
            let sink = TransportConformanceSink(
                body: { $0.wakes == 0 ? .pauseFor(.milliseconds(1)) : .more }, woken: { $0.wakes == 1 ? .pause : .more }
            )
            let handle = context.start(sink: sink)
            try await sink.wait("some bytes") { $0.bodyCalls > 2 }
            handle.wake()
            let paused = try await sink.wait("the wake-up") { $0.wakes == 1 }
            let amount = try await stalled(sent)
            try expect(amount < size, "everything went out to a paused sink")
            try expect(sink.record.bodyCalls, is: paused.bodyCalls, "calls of body after the pause")
            handle.wake()
            try expect(try await sink.outcome(), is: .complete, "outcome")
            try expect(sink.record.byteCount, is: size, "bytes")
        }
    }

    static func checkWakeBeforeHead(make: MakeTransport) async throws {
        let (requested, request) = AsyncStream<Void>.makeStream()
        let (allowed, allow) = AsyncStream<Void>.makeStream()
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            request.finish()
            for await _ in allowed {}
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
            try await connection.send(pattern: 0..<5)
            try await connection.closed()
        } body: { context in
            let sink = TransportConformanceSink(woken: { $0.wakes == 1 ? .pause : .more })
            let handle = context.start(sink: sink)
            try await sink.wait("the request", end: requested)
            handle.wake()
            try await sink.wait("the wake-up") { $0.wakes == 1 }
            allow.finish()
            try await sink.wait("the head") { $0.head != nil }
            try await Task.sleep(for: .milliseconds(100))
            try expect(sink.record.bodyCalls, is: 0, "calls of body during the pause")
            handle.wake()
            try expect(try await sink.outcome(), is: .complete, "outcome")
            try expect(sink.record.byteCount, is: 5, "bytes")
        }
    }

    static func checkPauseFor(make: MakeTransport) async throws {
        let times = Mutex<[ContinuousClock.Instant]>([])
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n")
            try await connection.send(pattern: 0..<1000)
            try await connection.send(pattern: 1000..<2000)
            try await connection.closed()
        } body: { context in
            let sink = TransportConformanceSink(body: { record in
                times.withLock { $0.append(.now) }
                return record.byteCount < 2000 ? .pauseFor(.milliseconds(150)) : .pauseFor(.milliseconds(100))
            })
            _ = context.start(sink: sink)
            try expect(try await sink.outcome(), is: .complete, "outcome")
            let end = ContinuousClock.now
            let calls = times.withLock { $0 }
            for (call, next) in zip(calls, calls.dropFirst()) {
                try expect(next - call >= .milliseconds(149), "went on after \(next - call)")
            }
            try expect(calls.isEmpty || end - calls[0] < .seconds(60), "went on much too late")
            try expect(sink.record.byteCount, is: 2000, "bytes")
        }
    }

    static func checkWokenPauseFor(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            while try await connection.request() != nil {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                try await connection.send(pattern: 0..<500)
                try await connection.send(pattern: 500..<1000)
            }
        } body: { context in
            for response in [BodyVerdict.more, .pauseFor(.milliseconds(10))] {
                let short = TransportConformanceSink(
                    body: { $0.byteCount < 1000 ? .pauseFor(.seconds(600)) : .more }, woken: { _ in response })
                let handle = context.start(sink: short)
                try await short.wait("the first bytes") { $0.bodyCalls == 1 }
                handle.wake()
                try expect(try await short.outcome(), is: .complete, "outcome")
            }
            let long = TransportConformanceSink(body: { _ in .pauseFor(.milliseconds(50)) }, woken: { _ in .pause })
            let handle = context.start(sink: long)
            try await long.wait("the first bytes") { $0.bodyCalls > 0 }
            handle.wake()
            let calls = try await long.wait("the wake-up") { $0.wakes == 1 || $0.outcome != nil }.bodyCalls
            try await Task.sleep(for: .milliseconds(200))
            guard long.record.wakes == 1 else { return }
            try expect(long.record.bodyCalls, is: calls, "calls of body after the pause")
            try expect(long.record.outcome, is: nil, "outcome of a paused transfer")
        }
    }

    static func checkEndBehindPause(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\n")
            try await connection.send(pattern: 0..<100)
        } body: { context in
            let sink = TransportConformanceSink(body: { _ in .pause })
            let handle = context.start(sink: sink)
            try await sink.wait("the first bytes") { $0.bodyCalls > 0 }
            try await Task.sleep(for: .milliseconds(100))
            try expect(sink.record.outcome, is: nil, "outcome of a paused transfer")
            while sink.record.outcome == nil {
                let calls = sink.record.bodyCalls
                handle.wake()
                try await sink.wait("progress after a wake-up") { $0.outcome != nil || $0.bodyCalls > calls }
            }
            try expect(sink.record.outcome, is: .complete, "outcome")
            try expect(sink.record.byteCount, is: 100, "bytes")
        }
    }
}
