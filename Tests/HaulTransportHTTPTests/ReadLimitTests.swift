import HTTPTypes
import HaulTesting
import HaulTransport
import HaulTransportHTTP
import Synchronization
import Testing

/// The sizes of reads, over one connection that is used again.
@Suite struct ReadLimitTests {
    private final class SizeSink: TransferSink {
        let sizes = Mutex<[Int]>([])
        let outcome = AsyncStream<TransferOutcome>.makeStream()

        func head(_ response: HTTPResponse) -> HeadVerdict { .accept }
        func body(_ bytes: RawSpan) -> BodyVerdict {
            sizes.withLock { $0.append(bytes.byteCount) }
            return .more
        }
        func woken() -> BodyVerdict { .more }
        func finished(_ outcome: TransferOutcome) {
            self.outcome.continuation.yield(outcome)
            self.outcome.continuation.finish()
        }
    }

    private func sizes(_ transport: HTTPTransport, _ url: String, limit: (@Sendable () -> Int)?) async -> [Int] {
        let sink = SizeSink()
        var request = TransferRequest(url: url, headers: [:])
        request.largestRead = limit
        _ = transport.start(request, sink: sink)
        for await outcome in sink.outcome.stream { #expect(outcome == .complete) }
        return sink.sizes.withLock { $0 }
    }

    @Test(arguments: [true, false]) func eachTransferHasItsOwnAndItMayChange(usesDirectConnections: Bool) async throws {
        try await FaultServer.run(["/f": .file(seed: 1, size: 2_000_000)]) { server in
            let transport = try HTTPTransport(
                HTTPTransportConfiguration(usesDirectConnections: usesDirectConnections))
            let url = server.url("/f")
            let small = await sizes(transport, url) { 5000 }
            #expect(small.reduce(0, +) == 2_000_000)
            #expect(small.allSatisfy { $0 <= 5000 })
            // The buffer that is there already may be used once more.
            let free = await sizes(transport, url, limit: nil)
            #expect(free.reduce(0, +) == 2_000_000)
            #expect(free.contains { $0 > 5000 })
            let calls = Atomic(0)
            let grows = await sizes(transport, url) { calls.add(1, ordering: .relaxed).newValue > 60 ? .max : 2000 }
            #expect(grows.reduce(0, +) == 2_000_000)
            #expect(grows.contains { $0 <= 2000 } && grows.contains { $0 > 2000 })
            // An answer may be told as ended a moment before its connection is free again: so some may open another.
            for _ in 0..<50 where server.log.connections == server.log.requests.count {
                _ = await sizes(transport, url) { 5000 }
            }
            #expect(server.log.connections < server.log.requests.count)
            await transport.shutdown()
        }
    }

    @Test func noHeaderOfTheirsReachesTheServer() async throws {
        try await FaultServer.run(["/f": .file(seed: 1, size: 10)]) { server in
            let transport = try HTTPTransport(HTTPTransportConfiguration(usesDirectConnections: false))
            _ = await sizes(transport, server.url("/f")) { 5000 }
            let names = server.log.requests.flatMap { $0.facts.headers.map(\.name) }
            #expect(!names.contains { $0.lowercased().hasPrefix("haul-") })
            await transport.shutdown()
        }
    }
}
