import Foundation
import HTTPTypes
import Haul
import HaulTesting
import Testing

@Suite("A manager over a scripted transport", .timeLimit(.minutes(2)))
struct ScriptedManagerTests {
    private let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

    // snippet: testing
    @Test func downloadsAfterARefusal() async throws {
        let (transport, folder) = (ScriptedTransport(), try TemporaryFolder())
        transport.set("https://example.com/a", .fails(.refused), .file([1, 2, 3]))
        let manager = try await DownloadManager(scripted: transport)
        let download = try await manager.add(
            DownloadSpec(url: "https://example.com/a", destination: .folder(path: folder.path)))
        try await download.waitForRetry()
        transport.clock.advance(by: .seconds(60))
        #expect(try await download.finished().totalBytes == 3)
        #expect(folder.bytes("a") == [1, 2, 3])
        await manager.close()
    }
    // end snippet

    @Test("a cut response is resumed from where it stopped, and a delayed one comes with the clock")
    func resumes() async throws {
        let (transport, folder) = (ScriptedTransport(), try TemporaryFolder())
        let url = "https://example.com/a"
        transport.set(url, .file(bytes).cut(after: 200_000), .file(bytes).delayed(by: .seconds(5)))
        let manager = try await DownloadManager(scripted: transport)
        var spec = DownloadSpec(url: url, destination: .folder(path: folder.path))
        spec.connections = .fixed(1)
        let download = try await manager.add(spec)
        // After progress, the first retry comes at once.
        try await transport.wait { $0.count == 2 }
        // The last 64 KiB are compared.
        #expect(transport.requests[1].headers[.range] == "bytes=134464-299999")
        transport.clock.advance(by: .seconds(5))
        let facts = try await download.finished()
        #expect(facts.totalBytes == 300_000 && folder.bytes("a") == bytes)
        await manager.close()
    }

    @Test("progress is reported by the clock: a download runs before it has any")
    func progress() async throws {
        let (transport, folder) = (ScriptedTransport(), try TemporaryFolder())
        let url = "https://example.com/a"
        transport.set(url, .file(bytes).stalling(after: 200_000))
        let manager = try await DownloadManager(scripted: transport)
        var spec = DownloadSpec(url: url, destination: .folder(path: folder.path))
        // The clock may be advanced faster than the file is written.
        spec.idleTimeout = .seconds(86_400)
        spec.connections = .fixed(1)
        let download = try await manager.add(spec)
        try await download.wait { $0.state == .running }
        #expect(try await download.snapshot.progress.fileBytes == 0)
        while try await download.snapshot.progress.fileBytes == 0 {
            transport.clock.advance(by: .milliseconds(100))
        }
        #expect(try await download.snapshot.progress.fileBytes <= 200_000)
        try await download.cancel(keepPartial: false)
        await manager.close()
    }

    @Test("a not-before time passes when the clock is advanced")
    func notBefore() async throws {
        let (transport, folder) = (ScriptedTransport(), try TemporaryFolder())
        transport.set("https://example.com/a", .file(bytes))
        let manager = try await DownloadManager(scripted: transport)
        var spec = DownloadSpec(url: "https://example.com/a", destination: .folder(path: folder.path))
        spec.notBefore = transport.clock.date.addingTimeInterval(3600)
        let download = try await manager.add(spec)
        try await download.wait { $0.state.kind == .waiting }
        transport.clock.advance(by: .seconds(3599))
        #expect(transport.requests.isEmpty)
        transport.clock.advance(by: .seconds(1))
        #expect(try await download.finished().totalBytes == 300_000)
        #expect(try await download.snapshot.changed == transport.clock.date)
        await manager.close()
    }

    @Test("a rate limit is kept by the clock: at 100,000 bytes a second, 300,000 take more than two seconds of it")
    func rateLimit() async throws {
        let (transport, folder) = (ScriptedTransport(), try TemporaryFolder())
        transport.set("https://example.com/a", .file(bytes))
        let manager = try await DownloadManager(scripted: transport)
        var spec = DownloadSpec(url: "https://example.com/a", destination: .folder(path: folder.path))
        spec.rateLimit = 100_000
        // The clock may be advanced faster than the file is written.
        spec.idleTimeout = .seconds(86_400)
        let download = try await manager.add(spec)
        while try await download.state.kind != .finished { transport.clock.advance(by: .milliseconds(100)) }
        #expect(transport.clock.now.offset > .seconds(2))
        #expect(folder.bytes("a") == bytes)
        await manager.close()
    }

    @Test("an unknown URL is not found, and a status is reported")
    func statuses() async throws {
        let (transport, folder) = (ScriptedTransport(), try TemporaryFolder())
        transport.set("https://example.com/b", .status(403))
        transport.set("https://example.com/c", .redirect(to: "/d"))
        transport.set("https://example.com/d", .file(bytes).header("Content-Disposition", "attachment; filename=e"))
        let manager = try await DownloadManager(scripted: transport)
        var codes: [DownloadError.Code?] = []
        for name in ["a", "b", "c"] {
            var spec = DownloadSpec(url: "https://example.com/\(name)", destination: .folder(path: folder.path))
            spec.retries = 0
            let download = try await manager.add(spec)
            do { codes.append(try await download.finished().path.hasSuffix("/e") ? nil : .internal) } catch {
                codes.append((error as? DownloadError)?.code)
            }
        }
        #expect(codes == [.notFound, .notAuthorized, nil])
        #expect(transport.requests.map(\.url).count == 4)
        await manager.close()
    }

    @Test("silence ends when the download is cancelled, and the manager closes")
    func silence() async throws {
        let (transport, folder) = (ScriptedTransport(), try TemporaryFolder())
        transport.set("https://example.com/a", .silence)
        let manager = try await DownloadManager(scripted: transport)
        let download = try await manager.add(
            DownloadSpec(url: "https://example.com/a", destination: .folder(path: folder.path)))
        try await transport.wait { $0.count == 1 }
        try await download.cancel(keepPartial: false)
        await #expect(throws: DownloadError.self) { try await download.finished() }
        #expect(folder.names.isEmpty)
        await manager.close()
    }
}
