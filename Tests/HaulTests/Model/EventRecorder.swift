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

    /// A subscriber, and the number of the last event that it has heard.
    private struct Subscriber {
        let task: Task<Received, Never>
        let numbers: AsyncStream<Int64>

        init(_ events: DownloadEvents, last: Int64, running: Set<DownloadID> = []) {
            let (numbers, heard) = AsyncStream.makeStream(of: Int64.self, bufferingPolicy: .bufferingNewest(1))
            self.numbers = numbers
            task = Task {
                defer { heard.finish() }
                return await EventRecorder.listen(events, last: last, running) { heard.yield($0) }
            }
        }

        /// Waits until it has heard of an event, or hears no more.
        func hear(upTo number: Int64) async {
            for await heard in numbers where heard >= number { return }
        }
    }

    private let all: Subscriber
    private var single: [DownloadID: Subscriber] = [:]

    /// Listens to all, from behind a number.
    ///
    /// - Parameter running: The downloads whose runs have begun before.
    init(_ manager: DownloadManager, since: Int64, running: Set<DownloadID> = []) {
        all = Subscriber(manager.events(since: since), last: since, running: running)
    }

    /// Listens to one download as well.
    mutating func add(_ download: Download) {
        guard single[download.id] == nil else { return }
        single[download.id] = Subscriber(download.events, last: 0)
    }

    /// Waits until all subscribers have heard all of these events that are theirs, or hear no more.
    func hear(_ log: [DownloadEvent]) async {
        await all.hear(upTo: log.last?.number ?? 0)
        for (id, subscriber) in single {
            if let last = log.last(where: { $0.download == id }) { await subscriber.hear(upTo: last.number) }
        }
    }

    /// What was heard until the manager was closed.
    func received() async -> (all: Received, single: [DownloadID: Received]) {
        let all = await all.task.value
        var result: [DownloadID: Received] = [:]
        for (id, subscriber) in single { result[id] = await subscriber.task.value }
        return (all, result)
    }

    private static func listen(
        _ events: DownloadEvents, last: Int64, _ running: Set<DownloadID>, heard: (Int64) -> Void
    ) async -> Received {
        var received = Received()
        var (last, running) = (last, running)
        var removed: Set<DownloadID> = []
        heard(last)
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
            heard(last)
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

extension Sequence<DownloadEvent> {
    /// The downloads whose runs have begun and not ended.
    var running: Set<DownloadID> {
        reduce(into: []) { running, event in
            if case .started = event.kind { running.insert(event.download) }
            if event.kind.endsRun { running.remove(event.download) }
        }
    }
}
