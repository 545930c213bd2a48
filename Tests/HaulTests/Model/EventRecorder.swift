import Haul
import HaulCore

/// What subscribers hear of one process: one that hears all, and one for each download.
struct EventRecorder {
    /// What one subscriber heard.
    struct Received: Sendable {
        /// The number that the first snapshot carried; nil where there was none.
        var since: Int64?
        var states: [DownloadEvent] = []
        var faults: [String] = []
        /// Progress of a download whose run nobody had heard of.
        var strays: [String] = []
    }

    private let all: Task<Received, Never>
    private var single: [DownloadID: Task<Received, Never>] = [:]

    /// Listens to all, from behind a number.
    init(_ manager: DownloadManager, since: Int64) {
        let events = manager.events(since: since)
        all = Task { await Self.listen(events, last: since) }
    }

    /// Listens to one download as well.
    mutating func add(_ download: Download) {
        guard single[download.id] == nil else { return }
        let events = download.events
        single[download.id] = Task { await Self.listen(events, last: 0) }
    }

    /// What was heard until the manager was closed, and what the single ones missed or had too much.
    func received() async -> Received {
        var result = await all.value
        for (id, task) in single {
            let harness = await task.value
            result.faults += harness.faults
            result.strays += harness.strays
            guard let since = harness.since else { continue }
            let right = result.states.filter { $0.download == id && $0.number > since }
            if harness.states != right {
                result.faults.append("the subscriber of \(id) heard \(harness.states), not \(right)")
            }
        }
        return result
    }

    private static func listen(_ events: DownloadEvents, last: Int64) async -> Received {
        var received = Received()
        var last = last
        var removed: Set<DownloadID> = []
        var running: Set<DownloadID> = []
        for await event in events.uncancelled {
            if removed.contains(event.download) { received.faults.append("\(event) came after its removal") }
            if event.kind.isNumbered {
                received.states.append(event)
                if case .removed = event.kind { removed.insert(event.download) }
            } else if event.number < last {
                received.faults.append("\(event) came after \(last)")
            }
            if case .snapshot = event.kind, received.since == nil { received.since = event.number }
            if event.kind.mayHaveRun { running.insert(event.download) }
            if event.kind.endsRun { running.remove(event.download) }
            if case .progress = event.kind, !running.contains(event.download) {
                received.strays.append("\(event) came outside of a run")
            }
            last = max(last, event.number)
        }
        return received
    }
}

extension DownloadEvent.Kind {
    /// Whether progress may follow.
    fileprivate var mayHaveRun: Bool {
        switch self {
        case .started, .snapshot: true
        case .progress, .added, .waiting, .notice, .paused, .resumed, .sourceReplaced, .finished, .failed, .cancelled,
            .removed, .changed:
            false
        }
    }
}
