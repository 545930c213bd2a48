import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Links that are signed for one request", .usesSockets, .timeLimit(.minutes(10)))
struct OneUseLinkTests {
    static let size: Int64 = 6_000_000
    static let file = Resource.file(seed: 43, size: size)

    @Test(
        "the file is whole, with any number of connections, at any speed", arguments: [401, 403, 404, 410],
        [nil, 1, 4, 16] as [Int?])
    func whole(status: Int, connections: Int?) async throws {
        for speed in [nil, 8_000_000] as [Int64?] {
            let link = Self.file.script { _ in speed.map { .throttle($0) } ?? .normal }.goodFor(1, then: status)
            try await FaultServer.run(["/f": link]) { server in
                try await EngineHarness.run { harness in
                    var spec = harness.spec(server.url("/f"))
                    spec.connections = connections.map { .fixed($0) } ?? .automatic(limit: 8)
                    let facts = try await harness.run(spec).get()
                    #expect(harness.bytes("f") == Self.file.allBytes && facts.sessionBytes == Self.size)
                    #expect(harness.names == ["f"])
                }
            }
        }
    }

    @Test("refusals that come late: meanwhile the first request goes on", arguments: [2, 4])
    func late(connections: Int) async throws {
        let link = Self.file.script { facts in
            facts.number == 1 ? .throttle(12_000_000) : .status(403).delay(.milliseconds(300))
        }
        try await FaultServer.run(["/f": link]) { server in
            try await EngineHarness.run { harness in
                let facts = try await harness.run(harness.spec(server.url("/f"), connections: connections)).get()
                #expect(harness.bytes("f") == Self.file.allBytes && facts.sessionBytes == Self.size)
                // A part that the first request has reached before its answer is asked for no more; what is left may be, once more.
                #expect(server.log.requests("/f").count <= 3 * connections)
            }
        }
    }

    @Test("once cut it has expired, and the bytes stay for a new link", arguments: [403, 410], [1, 4])
    func cut(status: Int, connections: Int) async throws {
        let cut = Self.file.script { _ in .cut(after: 700_000) }.goodFor(1, then: status)
        try await FaultServer.run(["/f": cut]) { server in
            try await EngineHarness.run { harness in
                let result = await harness.run(harness.spec(server.url("/f"), connections: connections))
                #expect(result.code == .linkExpired)
                #expect(harness.names == ["f.part", "f.part.haul"])
                server.set("/f", Self.file)
                let facts = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(facts.sessionBytes <= Self.size - 600_000 && harness.bytes("f") == Self.file.allBytes)
            }
        }
    }
}
