import HaulTransport
import NIOCore
import NIOPosix
import Synchronization

extension TransportConformance {
    static let cancelChecks = [
        Check(description: "cancel while the connection doesn't come about", run: checkCancelConnecting),
        Check(description: "cancel during the TLS handshake", run: checkCancelHandshake),
        Check(description: "cancel in every later phase", run: checkCancelLater),
        Check(description: "cancel right after start", run: checkCancelAtOnce),
        Check(description: "cancel from inside the sink", run: checkCancelInside),
        Check(description: "shutdown ends everything with cancelled", run: checkShutdown),
    ]

    /// A limit long before any timeout: cancelling takes milliseconds, but far longer on a machine that is busy with
    /// other tests.
    static let promptly = Duration.seconds(20)

    private static func checkCancel(
        _ context: TransportConformanceContext, url: String,
        sink: TransportConformanceSink = TransportConformanceSink(),
        _ phase: String, when isThere: @escaping @Sendable (TransportConformanceSink.Record) -> Bool = { _ in true }
    ) async throws {
        let handle = context.start(sink: sink, url: url)
        try await sink.wait(phase, until: isThere)
        // Some phases cannot be observed from outside. After a short time they have started, and if not, another phase
        // is tested.
        try await Task.sleep(for: .milliseconds(50))
        let (outcome, duration) = try await time {
            handle.cancel()
            return try await sink.outcome()
        }
        try expect(outcome, is: .cancelled, phase)
        try expect(duration < promptly, "\(phase): cancel took \(duration)")
        handle.cancel()
        handle.wake()
    }

    static func checkCancelConnecting(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make, script: { _ in }) { context in
            try await withBlackHole { port in
                try await checkCancel(context, url: "http://127.0.0.1:\(port)/", "connecting")
            }
        }
    }

    static func checkCancelHandshake(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make, script: { try await $0.closed() }) { context in
            try await checkCancel(context, url: context.server.url(scheme: "https"), "TLS handshake")
        }
    }

    static func checkCancelLater(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            var request = try await connection.request() ?? ""
            while request.hasPrefix("GET /whole-body") {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n\u{0}\u{1}\u{2}")
                request = try await connection.request() ?? ""
            }
            if request.hasPrefix("GET /half-head") { try await connection.send("HTTP/1.1 200 OK\r\nContent-") }
            if request.hasPrefix("GET /body") {
                try await connection.send("HTTP/1.1 200 OK\r\n\r\n")
                try await connection.send(pattern: 0..<1_000_000)
            }
            if request.hasPrefix("GET /body-and-end") { return }
            try await connection.closed()
        } body: { context in
            let url = context.server.url()
            try await checkCancel(context, url: url, "waiting for the head")
            try await checkCancel(context, url: url + "half-head", "in the head")
            try await checkCancel(context, url: url + "body", "in the body") { $0.byteCount == 1_000_000 }
            for path in ["body", "whole-body", "body-and-end"] {
                for verdict in [BodyVerdict.pause, .pauseFor(.seconds(600))] {
                    let sink = TransportConformanceSink(body: { _ in verdict })
                    try await checkCancel(context, url: url + path, sink: sink, "\(path), \(verdict)") {
                        $0.bodyCalls == 1
                    }
                }
            }
        }
    }

    static func checkCancelAtOnce(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make, script: { try await $0.closed() }) { context in
            for _ in 0..<50 {
                let sink = TransportConformanceSink()
                context.start(sink: sink).cancel()
                try expect(try await sink.outcome(), is: .cancelled, "outcome")
            }
        }
    }

    static func checkCancelInside(make: MakeTransport) async throws {
        let handles = Mutex<[any TransferHandle]>([])
        let (stored, store) = AsyncStream<Void>.makeStream()
        try await TransportConformanceContext.run(make) { connection in
            _ = try await connection.request()
            for await _ in stored {}
            try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            try await connection.send(pattern: 0..<500)
            try await connection.closed()
        } body: { context in
            let sink = TransportConformanceSink(body: { _ in
                for handle in handles.withLock({ $0 }) {
                    handle.wake()
                    handle.cancel()
                }
                return .more
            })
            let handle = context.start(sink: sink)
            handles.withLock { $0.append(handle) }
            store.finish()
            try expect(try await sink.outcome(), is: .cancelled, "outcome")
            handles.withLock { $0 = [] }
        }
    }

    static func checkShutdown(make: MakeTransport) async throws {
        try await TransportConformanceContext.run(make) { connection in
            let request = try await connection.request() ?? ""
            if request.hasPrefix("GET /body") {
                try await connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
                try await connection.send(pattern: 0..<1000)
            }
            try await connection.closed()
        } body: { context in
            try await withBlackHole { port in
                let sinks = (0..<5).map { _ in TransportConformanceSink() }
                let paused = TransportConformanceSink(body: { _ in .pause })
                _ = context.start("/body", sink: sinks[0])
                _ = context.start("/body", sink: paused)
                _ = context.start("/silent", sink: sinks[1])
                _ = context.start(sink: sinks[2], url: context.server.url(scheme: "https"))
                _ = context.start(sink: sinks[3], url: "http://127.0.0.1:\(port)/")
                try await sinks[0].wait("some bytes") { $0.byteCount == 1000 }
                try await paused.wait("some bytes") { $0.byteCount > 0 }
                let handle = context.start("/body", sink: sinks[4])
                let (_, duration) = try await time { await context.transport.shutdown() }
                try expect(duration < promptly, "shutdown took \(duration)")
                for sink in sinks + [paused] {
                    try expect(sink.record.outcome, is: .cancelled, "outcome after shutdown")
                }
                handle.wake()
                handle.cancel()
            }
        }
    }

    /// Runs the body with a port where connections neither succeed nor fail.
    ///
    /// Linux drops a SYN when the queue of accepted connections is full.
    static func withBlackHole(_ body: (Int) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup.singleton
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 1)
            .serverChannelOption(.autoRead, value: false)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = listener.localAddress?.port ?? 0
        var fillers: [any Channel] = []
        while fillers.count < 64 {
            let attempt = try? await ClientBootstrap(group: group).connectTimeout(.milliseconds(200))
                .connect(host: "127.0.0.1", port: port).get()
            guard let attempt else { break }
            fillers.append(attempt)
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body(port)) } catch { result = .failure(error) }
        for channel in fillers { try? await channel.close() }
        try await listener.close()
        try result.get()
    }
}
