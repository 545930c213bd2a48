import Haul
import HaulCore
import HaulEngine
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulLocal

/// Downloads while there is no network.
@Suite("Without a network", .usesSockets)
struct NetworkTests {
    private static let file = Resource.file(seed: 77, size: 400_000)
    private static let lost = file.script { _ in .cut(after: 0) }
    private static let halfLost = file.script { facts in .cut(after: facts.number == 1 ? 200_000 : 0) }

    /// A network that a test takes away and brings back.
    private final class FakeNetwork: Sendable {
        private let isThere = Atomic(false)
        let asked = Atomic(0)

        func comeBack() { isThere.store(true, ordering: .releasing) }

        var probe: NetworkProbe {
            NetworkProbe(
                hasRoute: { self.isThere.load(ordering: .acquiring) },
                isCutOff: { host in
                    self.asked.add(1, ordering: .relaxed)
                    return host == "127.0.0.1"
                })
        }
    }

    @Test("a download waits for the network and continues when it is back", arguments: [false, true])
    func waits(hasBegun: Bool) async throws {
        let network = FakeNetwork()
        try await ManagerTrial.run(
            ["/a": hasBegun ? Self.halfLost : Self.lost], { $0.network = network.probe }
        ) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a") { $0.retries = 1000 })
            try await download.until { $0 == .waiting(.network) }
            #expect(try await manager.summary()[.waiting] == 1)
            harness.server.set("/a", Self.file)
            network.comeBack()
            let facts = try await download.finished()
            #expect(facts.sessionBytes == (hasBegun ? 200_000 : 400_000))
            #expect(harness.bytes("a") == Self.file.allBytes)
            #expect(await download.emitted.contains(.waiting(.network, until: nil)))
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("a network without a default route that came back while the run ended is not missed")
    func missedChange() async throws {
        let isBack = Atomic(false)
        let probe = NetworkProbe(hasRoute: { false }, isCutOff: { _ in !isBack.load(ordering: .acquiring) })
        try await ManagerTrial.run(["/a": Self.lost], { $0.network = probe }) { harness in
            let download = try await harness.manager.add(harness.spec("/a") { $0.retries = 1000 })
            try await download.until { $0 == .waiting(.network) }
            harness.server.set("/a", Self.file)
            isBack.store(true, ordering: .releasing)
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
        }
    }

    @Test("a host that can be reached again is found among hosts that can't be")
    func oneOfManyHosts() async throws {
        let isBack = Atomic(false)
        let probe = NetworkProbe(
            hasRoute: { false }, isCutOff: { host in host != "localhost" || !isBack.load(ordering: .acquiring) })
        try await ManagerTrial.run(["/a": Self.lost], { $0.network = probe }) { harness in
            func add(_ host: String) async throws -> Download {
                let spec = harness.spec("/a", host) {
                    $0.retries = 1000
                    $0.url = $0.url.replacing("127.0.0.1", with: host)
                }
                return try await harness.manager.add(spec)
            }
            for number in 2...9 {
                let download = try await add("127.0.0.\(number)")
                try await download.until { $0 == .waiting(.network) }
            }
            let download = try await add("localhost")
            try await download.until { $0 == .waiting(.network) }
            harness.server.set("/a", Self.file)
            isBack.store(true, ordering: .releasing)
            _ = try await download.finished()
            #expect(harness.bytes("localhost") == Self.file.allBytes)
        }
    }

    @Test("a request that must not be repeated does not wait for the network", arguments: [0, 3])
    func unrepeated(retries: Int) async throws {
        let network = FakeNetwork()
        try await ManagerTrial.run(["/a": Self.halfLost], { $0.network = network.probe }) { harness in
            let download = try await harness.manager.add(
                harness.spec("/a") { ($0.method, $0.retries) = ("POST", retries) })
            let error = await #expect(throws: DownloadError.self) { try await download.finished() }
            #expect(error?.detail == (retries == 0 ? nil : .notRepeated))
            network.comeBack()
            #expect(harness.server.requests("/a").count == 1)
        }
    }

    @Test("one that may not use the present network waits for another one, also while it runs")
    func metered() async throws {
        let isMetered = Atomic(true)
        let probe = NetworkProbe(
            hasRoute: { true }, isCutOff: { _ in false }, isMetered: { isMetered.load(ordering: .acquiring) })
        let stalls = Self.file.script { $0.number == 1 ? .stall(after: 200_000) : .normal }
        try await ManagerTrial.run(["/a": stalls, "/b": Self.file], { $0.network = probe }) { harness in
            let manager = try harness.manager
            #expect(manager.capabilities.contains(.networkKinds))
            let download = try await manager.add(harness.spec("/a") { $0.networks = .unmetered })
            // Its turn comes, and it gives way to another one.
            _ = try await manager.add(harness.spec("/b")).finished()
            #expect(try await download.state == .waiting(.meteredNetwork))
            #expect(harness.server.requests("/a").isEmpty)
            isMetered.store(false, ordering: .releasing)
            try await download.until(bytes: 200_000)
            isMetered.store(true, ordering: .releasing)
            manager.local?.mailbox.post(.networkChanged)
            try await download.until { $0 == .waiting(.meteredNetwork) }
            #expect(await download.emitted.contains(.waiting(.meteredNetwork, until: nil)))
            isMetered.store(false, ordering: .releasing)
            let facts = try await download.finished()
            #expect(facts.sessionBytes == 200_000 && harness.bytes("a") == Self.file.allBytes)
            expectOneEndPerRun(await manager.allEvents())
        }
    }

    @Test("where the kind of network is not reported, the policy has no effect, and the capabilities say so")
    func unknownKind() async throws {
        let probe = NetworkProbe(hasRoute: { true }, isCutOff: { _ in false })
        try await ManagerTrial.run(["/a": Self.file], { $0.network = probe }) { harness in
            let manager = try harness.manager
            #expect(!manager.capabilities.contains(.networkKinds))
            _ = try await manager.add(harness.spec("/a") { $0.networks = .unmetered }).finished()
        }
    }

    @Test("one that waits for the network gives its place to others, and can be paused and cancelled")
    func otherCommands() async throws {
        let network = FakeNetwork()
        try await ManagerTrial.run(
            ["/a": Self.lost, "/b": Self.file],
            {
                $0.settings.limit = 1
                $0.network = network.probe
            }
        ) { harness in
            let all = try await harness.add([harness.spec("/a"), harness.spec("/b")])
            try await all[0].until { $0 == .waiting(.network) }
            _ = try await all[1].finished()
            try await all[0].pause()
            #expect(try await all[0].state == .paused(.asked))
            try await all[0].resume()
            try await all[0].until { $0 == .waiting(.network) }
            try await all[0].cancel(keepPartial: false)
            #expect(try await all[0].state == .cancelled(keptPartial: false))
            #expect(harness.names == ["b"])
        }
    }

    @Test("a manager that does not wait fails, and says why")
    func fails() async throws {
        let network = FakeNetwork()
        try await ManagerTrial.run(
            ["/a": Self.lost],
            {
                $0.network = network.probe
                $0.waitsForNetwork = false
            }
        ) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            let error = await #expect(throws: DownloadError.self) { try await download.finished() }
            #expect(error?.code == .connectionFailed && error?.detail == .noNetwork)
        }
    }

    @Test("a failure that the network does not explain is one", arguments: [true, false])
    func otherFailures(hasRoute: Bool) async throws {
        let network = FakeNetwork()
        if hasRoute { network.comeBack() }
        try await ManagerTrial.run(
            ["/a": hasRoute ? Self.lost : Self.file.script { _ in .status(404) }], { $0.network = network.probe }
        ) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            #expect(await download.failure() == (hasRoute ? .connectionFailed : .notFound))
            #expect(network.asked.load(ordering: .relaxed) == 0)
        }
    }
}
