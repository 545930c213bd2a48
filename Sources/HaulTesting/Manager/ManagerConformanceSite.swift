package import Haul
import HaulCore
import Synchronization

/// The manager, server and folder of one check.
package struct ManagerConformanceSite: Sendable {
    /// The manager that is tested.
    package let manager: DownloadManager
    /// The server with the resources.
    package let server: FaultServer
    /// The folder for the files.
    package let folder: String

    /// Makes the value.
    package init(manager: DownloadManager, server: FaultServer, folder: String) {
        (self.manager, self.server, self.folder) = (manager, server, folder)
    }

    /// Returns a spec for a resource of the server, whose file gets the resource's name.
    func spec(_ path: String, _ change: (inout DownloadSpec) -> Void = { _ in }) -> DownloadSpec {
        var spec = DownloadSpec(url: server.url(path), destination: .file(path: folder + path))
        spec.connections = .fixed(1)
        spec.retries = 1
        change(&spec)
        return spec
    }

    /// Adds downloads of resources.
    func add(_ paths: [String], _ change: (Int, inout DownloadSpec) -> Void = { _, _ in }) async throws -> [Download] {
        let specs = paths.enumerated().map { index, path in spec(path) { change(index, &$0) } }
        return try await manager.add(contentsOf: specs).map { try $0.get() }
    }

    /// Waits until the state of a download passes; it is checked after each event.
    func until(_ download: Download, _ passes: (DownloadState) -> Bool) async throws {
        for try await _ in download.events where passes(try await download.state) { return }
        throw ManagerConformanceFailure(description: "the events of download \(download.id) ended before that came")
    }

    /// Waits until at least `bytes` bytes of a download were received.
    func until(_ download: Download, bytes: Int64) async throws {
        for try await event in download.events {
            if case .progress(let progress) = event.kind, progress.fileBytes >= bytes { return }
            if try await download.snapshot.progress.fileBytes >= bytes { return }
        }
        throw ManagerConformanceFailure(
            description: "the events of download \(download.id) ended before the bytes came")
    }

    /// Returns the state events after a number, up to the first one that passes.
    func events(since: Int64, until passes: (DownloadEvent) -> Bool) async throws -> [DownloadEvent] {
        var found: [DownloadEvent] = []
        for try await event in manager.events(since: since) where event.kind.isNumbered {
            found.append(event)
            if passes(event) { return found }
        }
        throw ManagerConformanceFailure(description: "the events ended before the last one came")
    }
}

/// A model that records the events it receives.
final class ConformanceModel: Downloadable {
    let downloadSpec: DownloadSpec
    private let received = Mutex<[String]>([])

    init(downloadSpec: DownloadSpec) { self.downloadSpec = downloadSpec }

    /// The events received, without progress.
    var kinds: [String] { received.withLock { $0 } }

    func downloadDidChange(_ event: DownloadEvent) {
        guard event.kind.isNumbered else { return }
        received.withLock { $0.append(event.kind.conformanceName) }
    }
}

extension DownloadEvent.Kind {
    /// The name of the case.
    var conformanceName: String {
        let text = "\(self)"
        return String(text.prefix { $0 != "(" })
    }
}
