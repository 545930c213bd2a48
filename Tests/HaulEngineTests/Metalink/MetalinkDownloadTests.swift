import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Downloads from Metalinks", .usesSockets)
struct MetalinkDownloadTests {
    static func document(_ urls: [String], pieces: Bool = true) throws -> String {
        let file = MirrorTrial.file
        let hashes = try MirrorTrial.pieces(of: file, length: 250_000).hashes.map { "<hash>\($0)</hash>" }.joined()
        let sources = urls.enumerated().map { "<url priority='\($0.offset + 1)'>\($0.element)</url>" }.joined()
        let digest = try Digests.sha256(file.allBytes).hex
        return MetalinkTests.file(
            "the.bin",
            "<size>\(file.size)</size><hash type='sha-256'>\(digest)</hash>"
                + (pieces ? "<pieces length='250000' type='sha-256'>\(hashes)</pieces>" : "") + sources)
    }

    @Test("by URL: the document, then its file from what works, verified")
    func byURL() async throws {
        let file = MirrorTrial.file
        let bad: [String: Resource] = [
            "/gone": file.script(.status(404)), "/lies": MirrorTrial.other, "/good": file,
        ]
        try await FaultServer.run(bad) { server in
            let text = try Self.document([server.url("/gone"), server.url("/lies"), server.url("/good")])
            server.set("/x.meta4", .text(text))
            try await EngineHarness.run { harness in
                let metalink = try await harness.engine.metalink(from: server.url("/x.meta4"))
                let spec = try #require(metalink.specs(folder: harness.folder.path).first)
                let facts = try await harness.run(spec).get()
                #expect(harness.bytes("the.bin") == file.allBytes)
                #expect(facts.verified?.algorithm == .sha256)
                #expect(harness.names == ["the.bin"])
                let asked = try await server.settled().requests("/x.meta4").first?.facts
                #expect(asked?.header("Accept")?.hasPrefix("application/metalink4+xml") == true)
            }
        }
    }

    @Test("the default entry of a netrc file is for no source that the document names")
    func netrcDefault() async throws {
        try await FaultServer.run(["/f": MirrorTrial.file]) { server in
            try await EngineHarness.run { harness in
                try harness.folder.put(Array("default login me password hunter2".utf8), "netrc")
                let text = try Self.document([server.url("/f"), server.url("/f?2")])
                let metalink = try Metalink(parsing: Array(text.utf8))
                var spec = try #require(metalink.specs(folder: harness.folder.path).first)
                spec.netrcPath = harness.path("netrc")
                _ = try await harness.run(spec).get()
                let asked = try await server.settled().requests.compactMap { $0.facts.header("Authorization") }
                #expect(asked.isEmpty, "\(asked)")
            }
        }
    }

    @Test("a document that is no Metalink, is too large or is not there")
    func refused() async throws {
        let resources: [String: Resource] = [
            "/html": .text("<html></html>"), "/large": .file(seed: 1, size: Int64(Metalink.maxBytes) * 2),
        ]
        try await FaultServer.run(resources) { server in
            try await EngineHarness.run { harness in
                for (path, code) in [
                    ("/html", DownloadError.Code.invalidRequest), ("/large", .invalidRequest), ("/no", .notFound),
                ] {
                    let refusal = await Self.refusal(server.url(path), harness)
                    #expect(refusal == code)
                }
                let fetched = try await server.settled().bodyBytes("/large")
                #expect(fetched < Int64(Metalink.maxBytes) * 3 / 2)
            }
        }
    }

    /// Why a document is refused.
    static func refusal(_ url: String, _ harness: EngineHarness) async -> DownloadError.Code? {
        do throws(DownloadError) {
            _ = try await harness.engine.metalink(from: url)
            return nil
        } catch {
            return error.code
        }
    }
}
