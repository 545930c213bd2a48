import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: expired links", .usesSockets)
struct ExpiredLinksSnippetTests {
    static let file = Resource.file(seed: 37, size: 3_000_000)
    static let other = Resource.file(seed: 38, size: 2_000_000)
    /// Good for one answer that breaks off, and expired from then on.
    static let expiring = file.script { $0.number == 1 ? .cut(after: 2_000_000) : .status(403) }

    @Test("a new link for the same file: only what is missing is fetched")
    func renewed() async throws {
        try await ManagerTrial.run(["/old": Self.expiring, "/new": Self.file]) { harness in
            let manager = try harness.manager
            let known = manager.lastEventNumber
            let download = try await manager.add(harness.spec("/old", "f"))
            func freshLink() async throws -> String { harness.server.url("/new") }
            // snippet: renew
            for try await event in manager.events(since: known) {
                guard case .waiting(.linkExpired, _) = event.kind else { continue }
                try await manager.replaceSource(event.download, url: try await freshLink())
                break
            }
            let facts = try await download.finished()
            // end snippet
            #expect(facts.sessionBytes < 2_000_000)
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("a new link for another file: said so, and starting over is the caller's choice")
    func startedOver() async throws {
        try await ManagerTrial.run(["/old": Self.expiring, "/new": Self.other]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/old", "f"))
            _ = try await manager.first { if case .waiting(.linkExpired, _) = $0.kind { true } else { false } }
            let url = harness.server.url("/new")
            // snippet: start-over
            try await download.replaceSource(url: url)
            do {
                _ = try await download.finished()
            } catch let error as DownloadError where error.code == .sourceChanged {
                try await download.retry(fromStart: true)
            }
            // end snippet
            _ = try await download.finished()
            #expect(harness.bytes("f") == Self.other.allBytes)
        }
    }
}
