import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@Suite("A partial outlives sessions that come to nothing", .usesSockets)
struct KeptPartialTests {
    static let size: Int64 = 6_000_000
    static let file = Resource.file(seed: 31, size: size)
    static let weak = file.etag("W/\"x\"").lastModified(nil)
    static let partials = ["f.part", "f.part.haul"]

    /// Leaves a partial, lets a session come to nothing, and expects that the next one goes on with the bytes.
    static func survives(
        _ resource: Resource, connections: Int = 2, system: SystemCalls = .live, named name: String = "f",
        _ spec: (EngineHarness, FaultServer) -> DownloadSpec = { $0.spec($1.url("/f"), connections: 2) },
        _ session: (EngineHarness, FaultServer, DownloadSpec) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/f": resource], throttle: size) { server in
            try await EngineHarness.run(system: system) { harness in
                var spec = spec(harness, server)
                spec.connections = .fixed(connections)
                try await harness.interrupt(spec, after: size / 3, server)
                server.throttle(nil)
                try await session(harness, server, spec)
                #expect(harness.names == ["\(name).part", "\(name).part.haul"])
                server.set("/f", resource)
                _ = try await harness.run(spec).get()
                #expect(harness.resumedBytes.last ?? 0 > 0)
                #expect(harness.bytes(name) == resource.allBytes)
                #expect(harness.names == [name])
            }
        }
    }

    @Test("stopped while the server is silent", arguments: [file, weak])
    func silence(resource: Resource) async throws {
        try await Self.survives(resource) { harness, server, spec in
            server.set("/f", resource.script(.silence()))
            try await harness.stopWaiting(spec, server)
        }
    }

    @Test("stopped while the server is silent that names the file, before or after it has named it", arguments: [0, 1])
    func silenceBeforeName(answers: Int) async throws {
        let resource = Self.file.contentDisposition("attachment; filename=named.bin")
        try await Self.survives(
            resource, named: "named.bin",
            { DownloadSpec(url: $1.url("/f"), destination: .folder(path: $0.folder.path)) }
        ) { harness, server, spec in
            let before = server.requests("/f").count
            server.set("/f", resource.script { $0.number <= before + answers ? .normal : .silence() })
            let run = Task { await harness.run(spec) }
            try await server.until { $0.requests.count > before + answers }
            run.cancel()
            #expect(await run.value.code == .cancelled)
        }
    }

    @Test("another file of another length once, then nothing but 503", arguments: [1, 4])
    func portal(connections: Int) async throws {
        try await Self.survives(Self.file, connections: connections) { harness, server, spec in
            let before = server.requests("/f").count
            let portal = Resource.text("<html>Please log in</html>")
            server.set(
                "/f", Self.file.script { $0.number == before + 1 ? .serving(portal).ignoringRange() : .status(503) })
            #expect(await harness.run(spec).code == .serverBusy)
        }
    }

    @Test("another source for the same file that fails or is silent", arguments: [404, 500, nil] as [Int?])
    func otherSource(status: Int?) async throws {
        try await Self.survives(Self.file) { harness, server, _ in
            server.set("/g", Self.file.script(status.map { .status($0) } ?? .silence()))
            let other = harness.spec(server.url("/g"))
            if let status {
                #expect(await harness.run(other).code == (status == 404 ? .notFound : .serverBusy))
            } else {
                try await harness.stopWaiting(other, server)
            }
        }
    }

    @Test("the bytes that are to be compared can't be read: said so, not taken for another file")
    func unreadableOverlap() async throws {
        let isArmed = Atomic<Bool>(false)
        // EIO has this number on Linux and on Apple's systems alike.
        let faults = SystemCallFaults { _, call in
            guard isArmed.load(ordering: .acquiring), call.kind == .pread, call.path.hasSuffix("/f.part") else {
                return .proceed
            }
            return .fail(5)
        }
        try await Self.survives(Self.weak, system: faults.system()) { harness, _, spec in
            isArmed.store(true, ordering: .releasing)
            #expect(await harness.run(spec).code == .fileFailed)
            isArmed.store(false, ordering: .releasing)
            #expect(faults.fired > 0)
            #expect(!harness.events.contains(.notice(.sourceChanged)))
        }
    }
}
