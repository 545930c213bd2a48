import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("A new link for a partial, without anybody who remembers the old one", .usesSockets)
struct RenewedLinkTests {
    static let size: Int64 = 6_000_000
    static let file = Resource.file(seed: 81, size: size)

    /// Interrupts a download whose link then expires, and goes on with another link.
    static func renew(
        _ old: Resource = file, to new: Resource, status: Int = 403,
        _ body: (EngineHarness, FaultServer, DownloadSpec) async throws -> Void
    ) async throws {
        try await FaultServer.run(["/a/f": old, "/b/f": new], throttle: size) { server in
            try await EngineHarness.run { harness in
                let spec = harness.spec(server.url("/a/f"), connections: 2)
                try await harness.interrupt(spec, after: size / 3, server)
                server.throttle(nil)
                server.set("/a/f", old.script(.status(status)))
                guard case .failure(let error) = await harness.run(spec) else {
                    Issue.record("the link has not expired")
                    return
                }
                #expect(error.code == .linkExpired && error.message.contains("the data is kept"))
                #expect(harness.names == ["f.part", "f.part.haul"])
                try await body(harness, server, harness.spec(server.url("/b/f"), connections: 2))
            }
        }
    }

    @Test(
        "the same file: continued after proof, and nothing is left behind", arguments: [401, 403, 410],
        [file, file.etag("\"other\""), file.etag(nil).lastModified(nil)])
    func same(status: Int, new: Resource) async throws {
        try await Self.renew(to: new, status: status) { harness, server, spec in
            _ = try await harness.run(spec).get()
            #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
            #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
        }
    }

    @Test("another file, or one that can't be compared: said so, and the partial is kept for the old link")
    func other() async throws {
        for other in [
            Resource.file(seed: 82, size: Self.size), Resource.file(seed: 81, size: Self.size + 1),
            Self.file.withoutRanges(), Resource.file(seed: 82, size: Self.size).etag("\"81-\(Self.size)\""),
        ] {
            try await Self.renew(to: other) { harness, server, spec in
                let before = [harness.bytes("f.part"), harness.bytes("f.part.haul")]
                #expect(await harness.run(spec).code == .sourceChanged)
                #expect([harness.bytes("f.part"), harness.bytes("f.part.haul")] == before)
                #expect(harness.names == ["f.part", "f.part.haul"])
                server.set("/a/f", Self.file)
                _ = try await harness.run(harness.spec(server.url("/a/f"))).get()
                #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
            }
        }
    }

    @Test("the new link has expired, too: kept")
    func expiredAgain() async throws {
        try await Self.renew(to: Self.file.script(.status(403))) { harness, _, spec in
            #expect(await harness.run(spec).code == .linkExpired)
            #expect(harness.names == ["f.part", "f.part.haul"])
        }
    }

    @Test("a file of unknown size: nothing shows that the new link has the same one, so the partial is kept")
    func unknownSize() async throws {
        let unsized = Self.file.script { _ in .withoutLength() }
        try await FaultServer.run(["/a/f": unsized, "/b/f": Self.file], throttle: Self.size) { server in
            try await EngineHarness.run { harness in
                try await harness.interrupt(harness.spec(server.url("/a/f")), after: Self.size / 3, server)
                server.throttle(nil)
                let before = harness.bytes("f.part")
                let result = await harness.run(harness.spec(server.url("/b/f")))
                guard harness.names.contains("f.part.haul") else { return }
                #expect(result.code == .sourceChanged && harness.bytes("f.part") == before)
            }
        }
    }
}
