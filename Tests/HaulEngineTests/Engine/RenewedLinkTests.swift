import Foundation
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

    /// Files that are not the one that was begun.
    static let others = [
        Resource.file(seed: 82, size: size), Resource.file(seed: 81, size: size + 1),
        Resource.file(seed: 82, size: 1000),
        Resource.file(seed: 82, size: size).etag("\"81-\(size)\""),
    ]

    private static func reasons(_ harness: EngineHarness) -> [String] {
        harness.events.compactMap { if case .notice(.partialQuarantined(let reason)) = $0 { reason } else { nil } }
    }

    @Test("another file: downloaded beside the partial, which is kept for the old link and named", arguments: others)
    func other(new: Resource) async throws {
        try await Self.renew(to: new) { harness, server, spec in
            let before = [harness.bytes("f.part"), harness.bytes("f.part.haul")]
            _ = try await harness.run(spec).get()
            #expect(harness.bytes("f") == new.allBytes && harness.names == ["f", "f.part", "f.part.haul"])
            #expect([harness.bytes("f.part"), harness.bytes("f.part.haul")] == before)
            let reasons = Self.reasons(harness)
            #expect(reasons.count == 1 && reasons.first?.contains("f.part is the partial file of another") == true)
            // The old download is finished under another name.
            for name in ["part", "part.haul"] {
                try FileManager.default.moveItem(atPath: harness.path("f.\(name)"), toPath: harness.path("g.\(name)"))
            }
            server.set("/a/f", Self.file)
            var old = harness.spec(server.url("/a/f"))
            old.destination = .file(path: harness.path("g"))
            _ = try await harness.run(old).get()
            #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
            #expect(harness.bytes("g") == Self.file.allBytes && harness.names == ["f", "g"])
        }
    }

    @Test("another file, interrupted: both downloads are resumed, each from its own partial")
    func bothResumed() async throws {
        let new = Self.others[0]
        try await Self.renew(to: new) { harness, server, spec in
            server.throttle(Self.size)
            try await harness.interrupt(spec, after: Self.size / 3, server)
            server.throttle(nil)
            #expect(harness.names == ["f.part", "f.part.haul", "f~2.part", "f~2.part.haul"])
            let compared = try await server.settled().bodyBytes("/b/f")
            _ = try await harness.run(spec).get()
            #expect(harness.resumedBytes.last ?? 0 >= Self.size / 3)
            // Less than all of it; on a busy machine, parts are requested twice.
            #expect(try await server.settled().bodyBytes("/b/f") - compared < Self.size)
            #expect(harness.bytes("f") == new.allBytes && harness.names == ["f", "f.part", "f.part.haul"])
        }
    }

    @Test("a third file while two partials are kept: said so, and nothing is touched")
    func third() async throws {
        try await Self.renew(to: Self.others[0]) { harness, server, spec in
            server.throttle(Self.size)
            try await harness.interrupt(spec, after: Self.size / 3, server)
            server.throttle(nil)
            let names = harness.names
            let before = names.map(harness.bytes)
            server.set("/c/f", Resource.file(seed: 83, size: Self.size))
            #expect(await harness.run(harness.spec(server.url("/c/f"))).code == .sourceChanged)
            #expect(harness.names == names && names.map(harness.bytes) == before)
        }
    }

    @Test("a file that can't be compared: said so, and the partial is kept for the old link")
    func incomparable() async throws {
        try await Self.renew(to: Self.file.withoutRanges()) { harness, server, spec in
            let before = [harness.bytes("f.part"), harness.bytes("f.part.haul")]
            #expect(await harness.run(spec).code == .sourceChanged)
            #expect([harness.bytes("f.part"), harness.bytes("f.part.haul")] == before)
            #expect(harness.names == ["f.part", "f.part.haul"])
            server.set("/a/f", Self.file)
            _ = try await harness.run(harness.spec(server.url("/a/f"))).get()
            #expect(harness.bytes("f") == Self.file.allBytes && harness.names == ["f"])
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
