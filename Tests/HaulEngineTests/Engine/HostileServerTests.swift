import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Hostile servers: the right file or a clear error", .usesSockets)
struct HostileServerTests {

    private static let file = SloppyCase.faultyFile
    private static let changed = Resource.file(seed: 8, size: file.size)

    @Test("the right file or the named error", arguments: SloppyCase.faults, [1, 4])
    func fault(_ trial: SloppyCase, connections: Int) async throws {
        try await FaultServer.run(trial.resources) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url(trial.path), connections: connections)
                spec.retries = 4
                switch trial.outcome {
                case .file(let name):
                    spec.idleTimeout = .seconds(20)
                    _ = try await harness.run(spec).get()
                    let isRight = harness.bytes(name) == trial.bytes
                    #expect(isRight, "a wrong file was called complete")
                    #expect(harness.names == [name])
                case .fails(let code):
                    if code == .timedOut { (spec.idleTimeout, spec.retries) = (.milliseconds(300), 0) }
                    let result = await harness.run(spec)
                    #expect(result.code == code, "\(result)")
                    #expect(harness.bytes("f") == nil)
                }
            }
        }
    }

    @Test("a file that changes while segments run is one version or the other", arguments: [1, 4])
    func changes(connections: Int) async throws {
        let resource = Self.file.script { $0.number < 3 ? .normal : .serving(Self.changed) }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/f"), connections: connections)).get()
                let got = harness.bytes("f")
                let isRight = got == Self.file.allBytes || got == Self.changed.allBytes
                #expect(isRight, "a wrong file was called complete")
            }
        }
    }

    @Test("a stall is noticed, only that connection is dropped, and the rest is fetched", arguments: [1, 4])
    func stall(connections: Int) async throws {
        let resource = Self.file.script { $0.number == 1 ? .stall(after: 200_000) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: connections)
                spec.idleTimeout = .milliseconds(500)
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }

    @Test("without validators, a single byte behind what was compared does not end the comparing")
    func oneByteMore() async throws {
        let plain = { (resource: Resource) in resource.etag(nil).lastModified(nil) }
        let changed = plain(Self.changed)
        let resource = plain(Self.file).script { facts in
            facts.number == 1 ? .cut(after: 1_000_000) : facts.number == 2 ? .cut(after: 65_537) : .serving(changed)
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == Self.changed.allBytes, "a wrong file was called complete")
            }
        }
    }

    @Test("content shifted within a right head is never published under a checksum")
    func shifted() async throws {
        // The first connection is slow, so that others are opened on a busy machine, too.
        let resource = Self.file.script {
            $0.start > 0 ? .contentShifted(by: 3) : $0.number == 1 ? .throttle(1_000_000) : .normal
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: 4)
                spec.checksum = try Digests.sha256(Self.file.allBytes)
                // Usually the bytes beyond the end of the first segment show it, and all is fetched again.
                switch await harness.run(spec) {
                case .success: #expect(harness.bytes("f") == Self.file.allBytes)
                case .failure(let error): #expect(error.code == .checksumMismatch && harness.names == [])
                }
            }
        }
    }

    @Test("a limit per client means fewer connections, not failure", arguments: [503, 429, 403])
    func limited(status: Int) async throws {
        let resource = Resource.file(seed: 3, size: 8_000_000).script { facts in
            facts.concurrent > 2 ? .status(status) : .throttle(4_000_000)
        }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                var spec = harness.spec(server.url("/f"), connections: 6)
                spec.retries = 0
                _ = try await harness.run(spec).get()
                #expect(harness.bytes("f") == resource.allBytes)
                let refused = try await server.settled().requests.filter { $0.status == status }.count
                #expect(refused <= 10)
            }
        }
    }

    @Test("an endless body ends at the size that was announced")
    func endless() async throws {
        let resource = Self.file.script { facts in facts.number == 1 ? .bodyLonger(by: 50_000_000) : .normal }
        try await FaultServer.run(["/f": resource]) { server in
            try await EngineHarness.run { harness in
                _ = try await harness.run(harness.spec(server.url("/f"))).get()
                #expect(harness.bytes("f") == Self.file.allBytes)
            }
        }
    }
}
