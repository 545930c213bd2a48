import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("What limits a transfer", .usesSockets, .timeLimit(.minutes(10)))
struct TransferWatchTests {
    /// Downloads a file and explains it.
    private static func explain(
        _ resource: Resource, throttle: Int64? = nil, rateLimit: Int64? = nil,
        _ connections: ConnectionLimit = .fixed(1)
    ) async throws -> Explanation {
        try await FaultServer.run(["/f": resource], throttle: throttle) { server in
            let watch = TransferWatch()
            #expect(watch.explanation == nil)
            try await EngineHarness.run(rateLimit: rateLimit) { harness in
                var spec = harness.spec(server.url("/f"))
                spec.connections = connections
                _ = try await harness.engine.run(spec, watch: watch) { _ in }.get()
                #expect(harness.bytes("f") == resource.allBytes)
            }
            return try #require(watch.explanation)
        }
    }

    private static func names(_ explanation: Explanation) -> [String] {
        explanation.factors.map { factor in
            switch factor.cause {
            case .refusals: "refusals"
            case .rateLimit: "rateLimit"
            case .latency: "latency"
            case .hostLimit: "hostLimit"
            case .serverAsked: "serverAsked"
            case .single, .perConnection, .likelyPerConnection, .connectionLimit, .total, .server, .retries, .stalls,
                .disk, .processor,
                .processorQuota, .processorWait, .verifying, .files, .proxy:
                "other"
            }
        }
    }

    @Test("the record adds up: times, bytes, connections")
    func adds() async throws {
        let resource = Resource.file(seed: 3, size: 4_000_000).script { _ in .throttle(2_000_000) }
        let record = try await Self.explain(resource, .fixed(4)).record
        #expect(record.isOver && record.failure == nil && record.totalBytes == 4_000_000)
        #expect(abs(record.times.total - record.seconds) < 0.001)
        #expect(record.receivedBytes >= 4_000_000)
        #expect(record.receivedBytes == record.connections.reduce(0) { $0 + $1.bytes })
        #expect(record.connections.count >= 4)
        #expect(record.connections.allSatisfy { $0.ended != nil && $0.end != nil && $0.host == "127.0.0.1" })
        let processor = try #require(record.processor)
        #expect(processor.cores >= 1 && processor.cores <= processor.machineCores ?? 0)
        #if os(Linux)
            #expect(processor.ran != nil && processor.waited != nil)
        #endif
    }

    @Test("the own rate limit")
    func rateLimit() async throws {
        let explanation = try await Self.explain(.file(seed: 3, size: 600_000), rateLimit: 500_000)
        #expect(Self.names(explanation).contains("rateLimit"), "\(explanation.factors)")
    }

    @Test("refusals")
    func refusals() async throws {
        let resource = Resource.file(seed: 3, size: 3_000_000).script {
            $0.number == 3 ? .status(503) : .throttle(1_500_000)
        }
        let explanation = try await Self.explain(resource, .fixed(3))
        #expect(Self.names(explanation).contains("refusals"), "\(explanation.factors)")
        #expect(explanation.record.refusals.first?.status == 503)
    }

    @Test("latency of a small file")
    func latency() async throws {
        let resource = Resource.file(seed: 3, size: 1000).script(.delay(.milliseconds(400)))
        let explanation = try await Self.explain(resource)
        #expect(Self.names(explanation).contains("latency"), "\(explanation.factors)")
    }

    @Test("Retry-After")
    func retryAfter() async throws {
        let resource = Resource.file(seed: 3, size: 1000).script {
            $0.number == 1 ? .status(503, ["Retry-After": "1"]) : .normal
        }
        let explanation = try await Self.explain(resource)
        #expect(Self.names(explanation).contains("serverAsked"), "\(explanation.factors)")
    }

    @Test("a server without ranges")
    func single() async throws {
        let resource = Resource.file(seed: 3, size: 1_000_000).withoutRanges().script { _ in .throttle(1_000_000) }
        let explanation = try await Self.explain(resource, .fixed(4))
        // What weighs most depends on how busy this machine is.
        #expect(explanation.record.single == .noRanges)
    }
}
