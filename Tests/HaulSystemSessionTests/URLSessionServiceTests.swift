import Foundation
import Haul
import HaulCore
import HaulLocal
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulSystemSession

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The calls of the real `URLSession` that are the same without a background session.
@Suite("The system's transfer service over URLSession", .usesSockets, .timeLimit(.minutes(5)))
struct URLSessionServiceTests {
    static let file = Resource.file(seed: 71, size: 300_000)

    private static func run(
        _ resources: [String: Resource], _ body: (DownloadManager, FaultServer, TemporaryFolder) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        try await FaultServer.run(resources) { server in
            var settings = URLSessionService.Settings()
            settings.isBackground = false
            let service = URLSessionService("test", settings)
            let manager = try await DownloadManager(
                ManagerConfiguration(storage: .file(path: folder.path("list.sqlite"))), session: service)
            try await body(manager, server, folder)
            await manager.close()
        }
    }

    @Test("a file comes over URLSession, is verified and gets its name")
    func downloads() async throws {
        try await Self.run(["/a": Self.file]) { manager, server, folder in
            var spec = DownloadSpec(url: server.url("/a"), destination: .folder(path: folder.path))
            spec.checksum = try Digests.sha256(Self.file.allBytes)
            let facts = try await manager.add(spec).finished()
            #expect(facts.verified == spec.checksum && folder.bytes("a") == Self.file.allBytes)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("list.sqlite.session")) == [])
        }
    }

    @Test("an error page is not a file")
    func missing() async throws {
        try await Self.run([:]) { manager, server, folder in
            let spec = DownloadSpec(url: server.url("/none"), destination: .folder(path: folder.path))
            let download = try await manager.add(spec)
            let error = await #expect(throws: DownloadError.self) { try await download.finished() }
            #expect(error?.code == .notFound && folder.bytes("none") == nil)
        }
    }

    @Test("a list in memory is refused")
    func inMemory() async throws {
        let error = await #expect(throws: DownloadError.self) {
            try await DownloadManager(.systemSession(identifier: "memory", ManagerConfiguration(storage: .inMemory)))
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test("the errors of the system have the codes of the engine")
    func errors() {
        #expect(URLSessionService.error(URLError(.notConnectedToInternet)).detail == .noNetwork)
        #expect(URLSessionService.error(URLError(.cannotFindHost)).code == .nameNotResolved)
        #expect(URLSessionService.error(URLError(.serverCertificateUntrusted)).code == .tlsFailed)
        #expect(URLSessionService.error(CocoaError(.fileNoSuchFile)).code == .connectionFailed)
    }
}
