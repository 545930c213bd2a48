import Foundation
import Haul
import HaulCore
import HaulFoundation
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulObservation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@MainActor
@Suite("Documentation: user interfaces", .usesSockets)
struct UserInterfacesSnippetTests {
    private static let file = Resource.file(seed: 36, size: 300_000)

    @Test("a list, and a row of its own")
    func list() async throws {
        try await ManagerTrial.run(["/1": Self.file, "/2": Self.file], { $0.settings.limit = 0 }) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/1") { $0.group = "podcasts" })
            try await manager.add(trial.spec("/2"))
            // snippet: observable-list
            let list = DownloadList(manager, filter: .group("podcasts"), order: .reversed, limit: 200)
            let running = Task { try await list.run() }
            // end snippet
            await until { list.ids == [download.id] }
            running.cancel()
            try await single(manager, download)
        }
    }

    private func single(_ manager: DownloadManager, _ download: Download) async throws {
        // snippet: observable-download
        let row = try await ObservableDownload(download)
        let running = Task { try await row.run() }
        // end snippet
        try await download.pause()
        await until { row.state == .paused(.asked) }
        running.cancel()
    }

    @Test("two managers in one list")
    func combined() async throws {
        let inProcess = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
        let background = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
        var spec = DownloadSpec(url: "http://127.0.0.1:1/", destination: .folder(path: "/"))
        spec.startsPaused = true
        try await background.add(spec)
        // snippet: combined-list
        let list = CombinedDownloadList([DownloadList(inProcess), DownloadList(background)])
        let running = Task { try await list.run() }
        let isBackground = list.downloads.map { $0.download.manager === background }
        // end snippet
        #expect(isBackground.isEmpty)
        await until { list.downloads.count == 1 }
        running.cancel()
        await inProcess.close()
        await background.close()
    }

    @Test("progresses of Foundation")
    func progress() async throws {
        try await ManagerTrial.run(["/1": Self.file, "/2": Self.file]) { trial in
            let manager = try trial.manager
            let download = try await manager.add(trial.spec("/1") { $0.group = "podcasts" })
            // snippet: foundation-progress
            let one = download.makeProgress()
            let all = manager.makeProgress(.group("podcasts"))
            // end snippet
            while !one.isFinished || !all.isFinished { await Task.yield() }
            #expect(one.completedUnitCount == 300_000 && all.completedUnitCount == 1000)
        }
    }

    @Test("a request as a source")
    func request() throws {
        let url = try #require(URL(string: "https://example.org/"))
        let folder = "/d"
        // snippet: url-request
        var request = URLRequest(url: url)
        request.setValue("Bearer 4711", forHTTPHeaderField: "Authorization")
        let spec = try DownloadSpec(request, destination: .folder(path: folder))
        // end snippet
        #expect(spec.headers.count == 1 && spec.url == "https://example.org/")
    }

    @Test("one manager for all")
    func shared() async throws {
        async let (one, other) = (Downloads.manager, Downloads.manager)
        #expect(try await one === other)
        try await Downloads.manager.close()
    }

    @Test("a default folder")
    func folder() async throws {
        try await FaultServer.run(["/1.mp3": Self.file]) { server in
            let home = try TemporaryFolder()
            let url = server.url("/1.mp3")
            var configuration = ManagerConfiguration(storage: .inMemory)
            let path = home.path
            try await add(&configuration, path, url)
            #expect(home.bytes("Podcasts/1.mp3") == Self.file.allBytes)
        }
    }

    private func add(_ configuration: inout ManagerConfiguration, _ home: String, _ url: String) async throws {
        // snippet: default-folder
        configuration.folder = "\(home)/Podcasts"
        let manager = try await DownloadManager(configuration)
        let download = try await manager.add(url)
        // end snippet
        _ = try await download.finished()
        var request = URLRequest(url: try #require(URL(string: url)))
        request.setValue("Bearer 4711", forHTTPHeaderField: "Authorization")
        let second = try await manager.add(request)
        // The same URL in the same folder is the same download.
        #expect(second == download)
        await manager.close()
    }

    @Test("a request needs a default folder, too")
    func noFolder() async throws {
        let manager = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
        let request = URLRequest(url: try #require(URL(string: "https://example.org/")))
        let error = await #expect(throws: DownloadError.self) { try await manager.add(request) }
        #expect(error?.code == .invalidRequest && error?.message.hasPrefix("the manager has no default folder") == true)
        await manager.close()
    }
}

private let configuration = ManagerConfiguration(storage: .inMemory)

// snippet: shared
enum Downloads {
    private static let opening = Task { try await DownloadManager(configuration) }

    static var manager: DownloadManager {
        get async throws { try await opening.value }
    }
}
// end snippet
