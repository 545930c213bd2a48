import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("A Metalink that the server names for the file", .usesSockets)
struct DescribedByTests {
    static let link = "</x.meta4>; rel=describedby; type=\"application/metalink4+xml\""
    static let file = MirrorTrial.file

    /// A slow server that names a document, a mirror that the document names, and a download.
    private func run(
        _ text: (FaultServer, FaultServer) throws -> String, link: String = DescribedByTests.link,
        redirects: Bool = false, throttle: Int64? = nil,
        _ change: (inout DownloadSpec) -> Void = { _ in },
        _ check: (EngineHarness, Result<FinishFacts, DownloadError>, FaultServer, FaultServer) async throws -> Void
    ) async throws {
        try await FaultServer.run([:], throttle: throttle) { first in
            try await FaultServer.run(["/g": Self.file]) { second in
                let far = first.url("/far")
                first.set(
                    "/f",
                    redirects
                        ? Self.file.script(.redirect(to: far).header("Link", link)) : Self.file.header("Link", link))
                first.set("/far", Self.file)
                first.set("/x.meta4", .text(try text(first, second)))
                try await EngineHarness.run { harness in
                    var spec = harness.spec(first.url("/f"), connections: 4)
                    change(&spec)
                    try await check(harness, await harness.run(spec), first, second)
                }
            }
        }
    }

    @Test("its sources are asked, too, and its checksum counts", arguments: [false, true])
    func used(redirects: Bool) async throws {
        try await run({ try MetalinkDownloadTests.document([$1.url("/g")]) }, redirects: redirects, throttle: 150_000) {
            harness, result, first, second in
            let facts = try result.get()
            let digest = try Digests.sha256(Self.file.allBytes)
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(second.requests("/g").count > 0)
            #expect(first.requests("/x.meta4").count == 1)
            let origin = ChecksumOrigin.header(name: "Link", host: "127.0.0.1")
            #expect(facts.verification == .checksum(digest, origin))
        }
    }

    @Test("a lying document costs nothing but a notice, or fails the download as a wrong header would")
    func lies() async throws {
        let wrong = String(repeating: "0", count: 64)
        try await run(
            {
                try MetalinkDownloadTests.document([$1.url("/g")], pieces: false)
                    .replacingOccurrences(of: try Digests.sha256(Self.file.allBytes).hex, with: wrong)
            }, throttle: 150_000
        ) { harness, result, _, _ in
            #expect(result.code == .checksumMismatch && harness.bytes("f") == nil)
        }
        try await run(
            { _, second in
                second.set("/g", MirrorTrial.other)
                return try MetalinkDownloadTests.document([second.url("/g")])
            }, throttle: 150_000
        ) { harness, result, _, second in
            _ = try result.get()
            #expect(harness.bytes("f") == Self.file.allBytes)
            #expect(harness.excluded == [second.url("/g")])
        }
    }

    @Test(
        "not where it is of another origin, switched off, of another size or no Metalink; none of it holds up the end")
    func unused() async throws {
        let documents: [@Sendable (FaultServer, FaultServer) throws -> String] = [
            { _, _ in "<html></html>" },
            {
                try MetalinkDownloadTests.document([$1.url("/g")], pieces: false)
                    .replacingOccurrences(of: "<size>\(Self.file.size)", with: "<size>5")
            },
        ]
        for text in documents {
            try await run(text) { harness, result, _, second in
                let facts = try result.get()
                #expect(facts.verification == .size)
                #expect(harness.bytes("f") == Self.file.allBytes && second.requests("/g").isEmpty)
            }
        }
        let text: (FaultServer, FaultServer) throws -> String = { try MetalinkDownloadTests.document([$1.url("/g")]) }
        let far = "<http://localhost:1/x.meta4>; rel=describedby; type=\"application/metalink4+xml\""
        try await run(text, link: far) { _, result, first, _ in
            let facts = try result.get()
            #expect(facts.verification == .size && first.requests("/x.meta4").isEmpty)
        }
        try await run(text, { $0.usesLinkedMirrors = false }) { _, result, first, _ in
            let facts = try result.get()
            #expect(facts.verification == .size && first.requests("/x.meta4").isEmpty)
        }
        try await run(
            { first, second in
                first.set("/slow", .text("").script(.silence()))
                return ""
            }, link: DescribedByTests.link.replacingOccurrences(of: "x.meta4", with: "slow")
        ) { harness, result, _, _ in
            let facts = try result.get()
            #expect(facts.verification == .size)
        }
    }
}
