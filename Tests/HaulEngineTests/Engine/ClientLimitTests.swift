import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

/// A server that serves only so many connections of one client, over all its files.
@Suite("Limits per client: fewer connections, never a wrong or a failed file", .usesSockets)
struct ClientLimitTests {
    enum Refusal: CaseIterable {
        case tooMany, busy, reset, noResponse

        var script: ServerScript {
            switch self {
            case .tooMany: .status(429)
            case .busy: .status(503)
            case .reset: .reset()
            case .noResponse: .emptyReply()
            }
        }
    }

    private static func file(_ seed: UInt64) -> Resource {
        .file(seed: seed, size: 6_000_000).script(.throttle(4_000_000))
    }

    @Test("one file with more connections than are served", arguments: Refusal.allCases, [1, 3])
    func one(refusal: Refusal, limit: Int) async throws {
        let limit = ClientLimit(connections: limit, refusal: refusal.script)
        try await FaultServer.run(["/f": Self.file(1)], clientLimit: limit) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/f"), connections: 6)).get()
                #expect(harness.bytes("f") == Self.file(1).allBytes)
                #expect(harness.names == ["f"])
            }
        }
    }

    @Test("a lone next file, while connections that are kept open take up all places", arguments: Refusal.allCases)
    func idle(refusal: Refusal) async throws {
        let limit = ClientLimit(connections: 1, refusal: refusal.script)
        let (a, b) = (Resource.file(seed: 3, size: 1000), Resource.file(seed: 4, size: 1000))
        try await FaultServer.run(["/a": a, "/b": b], clientLimit: limit) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/a"), "a")).get()
                var spec = harness.spec(server.url("/b"), "b")
                // It is not one of those connections that it goes over.
                spec.connectTimeout = .seconds(50)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("b") == b.allBytes && harness.waits <= 2)
            }
        }
    }

    @Test("two files at once that share the places", arguments: Refusal.allCases)
    func two(refusal: Refusal) async throws {
        let limit = ClientLimit(connections: 3, refusal: refusal.script)
        try await FaultServer.run(["/a": Self.file(1), "/b": Self.file(2)], clientLimit: limit) { server in
            try await EngineHarness.run { harness in
                // The second download may find every place taken, again and again: the tries have to last as long as the first one.
                let specs = ["a", "b"].map { name in
                    var spec = harness.spec(server.url("/\(name)"), name, connections: 4)
                    spec.retries = 1000
                    return spec
                }
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for spec in specs { tasks.addTask { _ = try await harness.run(spec).get() } }
                    try await tasks.waitForAll()
                }
                #expect(harness.bytes("a") == Self.file(1).allBytes && harness.bytes("b") == Self.file(2).allBytes)
                #expect(harness.names == ["a", "b"])
            }
        }
    }
}
