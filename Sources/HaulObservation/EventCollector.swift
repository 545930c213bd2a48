import HaulCore
import HaulManager
import Synchronization

/// The events since the last refresh, merged: a download that changed ten times is read once.
struct EventBatch: Sendable {
    /// Downloads whose state has changed.
    var changed: Set<DownloadID> = []
    /// Downloads that were added.
    var added: Set<DownloadID> = []
    /// Downloads that were removed.
    var removed: Set<DownloadID> = []
    /// Downloads whose position or options have changed.
    var moved: Set<DownloadID> = []
    /// The newest progress of downloads that did not change otherwise since.
    var progress: [DownloadID: TransferProgress] = [:]

    /// The last known states, for a manager that is closed before they can be read.
    var states: [DownloadID: DownloadState] = [:]

    /// True if there was no event.
    var isEmpty: Bool { changed.isEmpty && removed.isEmpty && progress.isEmpty }

    /// Adds an event.
    mutating func add(_ event: DownloadEvent) {
        let id = event.download
        switch event.kind {
        case .progress(let progress): return self.progress[id] = progress
        case .removed:
            removed.insert(id)
            changed.remove(id)
        case .added: added.insert(id)
        case .changed: moved.insert(id)
        case .waiting(let reason, _): states[id] = .waiting(reason)
        case .paused(let reason): states[id] = .paused(reason)
        case .finished(let facts): states[id] = .finished(facts)
        case .failed(let error): states[id] = .failed(error)
        case .cancelled(let keptPartial): states[id] = .cancelled(keptPartial: keptPartial)
        case .resumed: states[id] = .waiting(.start)
        case .snapshot, .started, .notice, .sourceReplaced: break
        }
        // A snapshot that is read later has the newest progress.
        progress[id] = nil
        if !removed.contains(id) { changed.insert(id) }
    }
}

/// Collects events in the background, and passes them on at most once per interval.
final class EventCollector: Sendable {
    private let pending = Mutex(EventBatch())
    private let signal = ChangeSignal()

    /// Has something handled as if an event had come.
    func notify() { signal.notify() }

    /// Follows events until they end.
    ///
    /// - Parameters:
    ///   - interval: The minimum time from the end of one call of `apply` to the next call.
    ///   - apply: Called with the events since its last call; the batch is empty after `notify`.
    /// - Throws: `CancellationError` if the task is cancelled, `DownloadError` if the list can't be read any more, and
    ///   what `apply` throws.
    @MainActor
    func collect(
        _ events: DownloadEvents, every interval: Duration, _ clock: some Clock<Duration>,
        apply: @MainActor (EventBatch) async throws -> Void
    ) async throws {
        async let following: Void = follow(events)
        var seen: UInt64 = 0
        while let count = signal.changeCount {
            try Task.checkCancellation()
            if count == seen {
                await signal.wait(after: seen)
                continue
            }
            seen = count
            try await apply(take())
            try await clock.sleep(for: interval)
        }
        let last = take()
        if !last.isEmpty { try await apply(last) }
        try await following
    }

    private nonisolated func take() -> EventBatch {
        pending.withLock { batch in
            defer { batch = EventBatch() }
            return batch
        }
    }

    @concurrent
    private func follow(_ events: DownloadEvents) async throws {
        defer { signal.close() }
        var iterator = events.makeAsyncIterator()
        while let event = try await iterator.next(isolation: nil) {
            pending.withLock { $0.add(event) }
            signal.notify()
        }
        if let failure = iterator.failure { throw failure }
    }
}
