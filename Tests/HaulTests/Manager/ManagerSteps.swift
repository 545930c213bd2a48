import Haul
import HaulCore
import HaulTesting
import Testing

extension Download {
    /// Returns when its state passes: it is looked at after each event.
    func until(_ passes: (DownloadState) -> Bool) async throws {
        for try await _ in events {
            if passes(try await state) { return }
        }
        throw DownloadError(.internal, "the events ended before that came")
    }

    /// Returns when so many bytes of its file are there.
    func until(bytes: Int64) async throws {
        for try await event in events {
            if case .progress(let progress) = event.kind, progress.fileBytes >= bytes { return }
            if try await snapshot.progress.fileBytes >= bytes { return }
        }
        throw DownloadError(.internal, "the events ended before that came")
    }

    /// The code that waiting for it ends with; nil where it finishes.
    func failure() async -> DownloadError.Code? {
        await code { _ = try await finished() }
    }

    /// What has been told of it so far, progress left out.
    var emitted: [DownloadEvent.Kind] {
        get async { await manager.allEvents().filter { $0.download == id }.map(\.kind) }
    }
}

extension DownloadEvent.Kind {
    /// The name of the case.
    var word: String {
        switch self {
        case .snapshot: "snapshot"
        case .progress: "progress"
        case .added: "added"
        case .started: "started"
        case .waiting: "waiting"
        case .notice: "notice"
        case .paused: "paused"
        case .resumed: "resumed"
        case .sourceReplaced: "sourceReplaced"
        case .finished: "finished"
        case .failed: "failed"
        case .cancelled: "cancelled"
        case .removed: "removed"
        case .changed: "changed"
        }
    }
}

extension ManagerTrial {
    /// Adds what is to be added, and hands out the handles.
    func add(_ specs: [DownloadSpec]) async throws -> [Download] {
        try await manager.add(contentsOf: specs).map { try $0.get() }
    }

    /// A spec that is changed.
    func spec(_ resource: String, _ name: String? = nil, _ change: (inout DownloadSpec) -> Void) -> DownloadSpec {
        var spec = spec(resource, name)
        change(&spec)
        return spec
    }
}

/// Expects that each run of each download has ended once at most, and that nothing ends that does not go.
func expectOneEndPerRun(_ events: [DownloadEvent], sourceLocation: SourceLocation = #_sourceLocation) {
    var going: [DownloadID: Bool] = [:]
    for event in events {
        let isGoing = going[event.download] ?? false
        switch event.kind {
        case .added:
            #expect(going[event.download] == nil, "added twice: \(event)", sourceLocation: sourceLocation)
            going[event.download] = true
        case .resumed: going[event.download] = true
        case .paused, .finished, .failed:
            #expect(isGoing, "ended twice: \(event)", sourceLocation: sourceLocation)
            going[event.download] = false
        case .waiting(.linkExpired, _):
            #expect(isGoing, "ended twice: \(event)", sourceLocation: sourceLocation)
            going[event.download] = false
        case .cancelled, .removed: going[event.download] = false
        case .started: #expect(isGoing, "runs unasked: \(event)", sourceLocation: sourceLocation)
        case .snapshot, .progress, .waiting, .notice, .sourceReplaced, .changed: break
        }
    }
}
