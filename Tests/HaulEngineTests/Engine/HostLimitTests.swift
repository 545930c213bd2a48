import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

/// Several downloads of one engine from a server that serves only so many connections of one client.
@Suite("One limit per host over all downloads", .usesSockets, .timeLimit(.minutes(10)))
struct HostLimitTests {
    /// Each answer ends its connection: one that is kept open for the next request would take a place at this server.
    private static func file(_ seed: UInt64, size: Int64 = 3_000_000) -> Resource {
        .file(seed: seed, size: size).script(.throttle(2_000_000).closing())
    }

    private static func refusals(_ server: FaultServer) -> Int {
        server.log.requests.count { $0.status == 429 || $0.status == 503 }
    }

    @Test(
        "five downloads, four places: all finish, nobody fails or counts a try, few requests are refused",
        arguments: [.automatic(limit: 6), .fixed(4)] as [ConnectionLimit], [429, 503])
    func five(connections: ConnectionLimit, status: Int) async throws {
        let names = ["a", "b", "c", "d", "e"]
        let files = Dictionary(uniqueKeysWithValues: names.enumerated().map { ("/\($1)", Self.file(UInt64($0))) })
        let limit = ClientLimit(connections: 4, refusal: .status(status))
        try await FaultServer.run(files, clientLimit: limit) { server in
            try await EngineHarness.run { harness in
                let events = EventLog()
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for name in names {
                        var spec = harness.spec(server.url("/\(name)"), name)
                        spec.connections = connections
                        tasks.addTask { [spec] in _ = try await harness.run(spec) { events.add($0) }.get() }
                    }
                    try await tasks.waitForAll()
                }
                for (name, resource) in files { #expect(harness.bytes(String(name.dropFirst())) == resource.allBytes) }
                let refused = Self.refusals(server)
                // A fixed number is asked for at once, before anything is refused.
                #expect(refused <= (connections == .fixed(4) ? 16 : 10))
                #expect(
                    !events.events.contains { if case .waiting(.retrying, _) = $0 { true } else { false } })
                #expect(events.events.contains { if case .waiting(.connections, _) = $0 { true } else { false } })
            }
        }
    }

    @Test("what was refused for one download is not tried by the next one")
    func ceilingIsRemembered() async throws {
        let files = ["/a": Self.file(1), "/b": Self.file(2)]
        try await FaultServer.run(files, clientLimit: ClientLimit(connections: 3)) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/a"), "a", connections: 8)).get()
                let before = Self.refusals(server)
                #expect(before > 0)
                _ = try await harness.run(harness.spec(server.url("/b"), "b", connections: 8)).get()
                #expect(Self.refusals(server) - before <= 2)
                #expect(harness.bytes("a") == files["/a"]?.allBytes && harness.bytes("b") == files["/b"]?.allBytes)
            }
        }
    }

    @Test("the next download begins with as many connections as paid for the one before")
    func begins() async throws {
        // Nothing can be measured of the second one, so alone it would stay with one connection for good.
        let files = [
            "/a": Resource.file(seed: 1, size: 16_000_000).script { _ in .throttle(2_000_000) },
            "/b": Resource.file(seed: 2, size: 16_000_000).script { _ in .stall(after: 0) },
        ]
        try await FaultServer.run(files) { server in
            try await EngineHarness.run { harness in
                var first = harness.spec(server.url("/a"), "a")
                first.connections = .automatic(limit: 6)
                let watch = TransferWatch()
                _ = try await harness.engine.run(first, watch: watch) { _ in }.get()
                let maximum = watch.record?.paces.map(\.connections).max() ?? 0
                var second = harness.spec(server.url("/b"), "b")
                second.connections = .automatic(limit: 6)
                let run = Task { [second] in await harness.run(second) }
                // How many paid is measured speed; a busy machine may have found two.
                #expect(maximum >= 2)
                _ = try await server.until { $0.requests("/b").count >= 2 }
                run.cancel()
                #expect(await run.value.code == .cancelled)
            }
        }
    }

    @Test("haul why names the host's limit where it is what held a download up")
    func why() async throws {
        let files = ["/a": Self.file(1), "/b": Self.file(2)]
        try await FaultServer.run(files, clientLimit: ClientLimit(connections: 2)) { server in
            try await EngineHarness.run { harness in
                let watch = TransferWatch()
                async let first = harness.run(harness.spec(server.url("/a"), "a", connections: 2))
                _ = try await server.until { $0.requests("/a").count { $0.bodyBytes > 0 } == 2 }
                let second = await harness.engine.run(harness.spec(server.url("/b"), "b"), watch: watch) { _ in }
                _ = try await (first.get(), second.get())
                let waited = try #require(watch.record?.hostLimit)
                #expect(waited.limit == 2 && waited.waited > 0)
                let factors = watch.explanation?.factors ?? []
                #expect(factors.contains { if case .hostLimit = $0.cause { true } else { false } }, "\(factors)")
            }
        }
    }
}
