import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("Slow and frozen last segments", .usesSockets, .timeLimit(.minutes(10)))
struct TailTests {
    static let size: Int64 = 24_000_000
    static let file = Resource.file(seed: 44, size: size)
    static let edge = size - 200_000

    /// Runs with four connections; no connection may be silent for less than ten minutes, so that only a second fetch can end it.
    static func run(
        _ resource: Resource, connections: Int = 4, then check: (TransferRecord, FaultServer) -> Void = { _, _ in }
    ) async throws {
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                let watch = TransferWatch()
                var options = RunOptions()
                options.watch = watch
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.idleTimeout = .seconds(600)
                let facts = try await harness.run(spec, options).get()
                #expect(harness.bytes("f") == file.allBytes && harness.names == ["f"])
                #expect(facts.sessionBytes == size)
                let record = try #require(watch.record)
                #expect(record.repeatedBytes <= TailPolicy.budget(total: size))
                check(record, server)
            }
        }
    }

    /// How an answer goes on that comes into the last bytes of the file, the first time.
    static func last(_ script: @escaping @Sendable (_ until: Int64) -> ServerScript) -> Resource {
        let first = Once()
        return file.script { facts in
            let end = facts.range?.last.map { $0 + 1 } ?? size
            guard facts.start > 0, end == size, first.take() else { return .throttle(8_000_000) }
            return script(max(0, edge - facts.start))
        }
    }

    @Test("frozen before the end: another connection brings the rest")
    func frozen() async throws {
        try await Self.run(Self.last { .stall(after: $0) })
    }

    @Test("frozen in the last part of every connection but the newest", arguments: [2, 8])
    func frozenOften(connections: Int) async throws {
        let file = Self.file.script { facts in
            facts.number % 2 == 0 ? .throttle(20_000_000).stall(after: 2_000_000) : .throttle(20_000_000)
        }
        try await Self.run(file, connections: connections)
    }

    @Test("slow to the end: the rest is brought by another one, and what comes twice is within the bound")
    func slow() async throws {
        let file = Self.file.script { $0.number == 2 ? .throttle(300_000) : .throttle(8_000_000) }
        try await Self.run(file) { record, server in
            #expect(server.log.requests("/f").count > 4)
            #expect(record.connections.contains { $0.end == .replaced || $0.end == .enough })
        }
    }

    @Test("a second fetch that is refused, cut or too short changes nothing", arguments: 0...2)
    func useless(kind: Int) async throws {
        let first = Once()
        let file = Self.file.script { facts in
            if facts.number == 2 { return .throttle(600_000) }
            guard facts.start > 0, let last = facts.range?.last, last - facts.start < 500_000, first.take() else {
                return .throttle(8_000_000)
            }
            return [.status(403), .cut(after: 1000), .partial(atMost: 1000)][kind]
        }
        try await Self.run(file)
    }
}

/// Something that can be taken once.
private final class Once: Sendable {
    private let isTaken = Atomic(false)
    func take() -> Bool { !isTaken.exchange(true, ordering: .acquiringAndReleasing) }
}
