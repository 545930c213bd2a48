package import Haul
import HaulCore

/// One check's manager, server and folder.
package struct ManagerConformanceSite: Sendable {
    /// The manager under examination.
    package let manager: DownloadManager
    /// Where its downloads come from.
    package let server: FaultServer
    /// Where they go to.
    package let folder: String

    /// Puts them together.
    package init(manager: DownloadManager, server: FaultServer, folder: String) {
        (self.manager, self.server, self.folder) = (manager, server, folder)
    }

    /// A spec for a resource of the server, which is to have its name.
    func spec(_ path: String, _ change: (inout DownloadSpec) -> Void = { _ in }) -> DownloadSpec {
        var spec = DownloadSpec(url: server.url(path), destination: .file(path: folder + path))
        spec.connections = .fixed(1)
        spec.retries = 1
        change(&spec)
        return spec
    }

    /// Adds resources, and gives their downloads.
    func add(_ paths: [String], _ change: (Int, inout DownloadSpec) -> Void = { _, _ in }) async throws -> [Download] {
        let specs = paths.enumerated().map { index, path in spec(path) { change(index, &$0) } }
        return try await manager.add(contentsOf: specs).map { try $0.get() }
    }

    /// Returns when the state of a download passes: it is looked at after each of its events.
    func until(_ download: Download, _ passes: (DownloadState) -> Bool) async throws {
        for await _ in download.events where passes(try await download.state) { return }
        throw ManagerConformanceFailure(description: "the events of download \(download.id) ended before that came")
    }

    /// Returns when so many bytes of a download are there.
    func until(_ download: Download, bytes: Int64) async throws {
        for await event in download.events {
            if case .progress(let progress) = event.kind, progress.fileBytes >= bytes { return }
            if try await download.snapshot.progress.fileBytes >= bytes { return }
        }
        throw ManagerConformanceFailure(
            description: "the events of download \(download.id) ended before the bytes came")
    }

    /// The state events up to one that passes, the first one after a number.
    func events(since: Int64, until passes: (DownloadEvent) -> Bool) async throws -> [DownloadEvent] {
        var found: [DownloadEvent] = []
        for await event in manager.events(since: since) where event.kind.isNumbered {
            found.append(event)
            if passes(event) { return found }
        }
        throw ManagerConformanceFailure(description: "the events ended before the last one came")
    }
}
