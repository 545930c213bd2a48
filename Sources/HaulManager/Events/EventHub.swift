package import HaulCore
import Synchronization

/// The newest events, for any number of subscribers that each read at their own pace.
///
/// A subscriber is a position in the numbered events, not a buffer: a slow one costs nothing, and finds events that are
/// no longer in memory in the catalogue. Progress is one value per running download; each subscriber gets the newest.
package final class EventHub: Sendable {
    /// The maximum number of state events in memory.
    static let capacity = 1024

    /// The result of polling.
    enum Found: Sendable {
        /// State events, in order, up to this number.
        case events([DownloadEvent], upTo: Int64)
        /// The subscriber needs older events than are held here.
        case behind
        /// Newer progress.
        case progress([DownloadEvent], version: UInt64)
        /// Nothing new.
        case nothing
        /// Nothing new, now or later.
        case closed
    }

    fileprivate struct State {
        var events: [DownloadEvent] = []
        /// The index of the oldest event: the array is a ring once it is full.
        var oldest = 0
        var last: Int64
        var progress: [DownloadID: (event: DownloadEvent, version: UInt64)] = [:]
        var version: UInt64 = 0
        var waiters: [DownloadID?: [UInt64: CheckedContinuation<Void, Never>]] = [:]
        var nextWaiter: UInt64 = 0
        var isClosed = false

        /// The number after which all events are held.
        var floor: Int64

        init(last: Int64) { (self.last, floor) = (last, last) }
    }

    private let state: Mutex<State>

    /// Creates a hub that continues after an event's number.
    package init(last: Int64) { state = Mutex(State(last: last)) }

    /// The number of the last state event.
    package var last: Int64 { state.withLock { $0.last } }

    /// True if no more events will come.
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    /// The number of waiting subscribers.
    var waiterCount: Int { state.withLock { $0.waiters.values.reduce(0) { $0 + $1.count } } }

    /// Adds state events that have been recorded, with increasing numbers.
    ///
    /// - Parameter last: The number up to which they are complete; nil: that of the last event.
    package func publish(_ events: [DownloadEvent], upTo last: Int64? = nil) {
        let woken = state.withLock { state in
            for event in events {
                if state.events.count < Self.capacity {
                    state.events.append(event)
                } else {
                    state.floor = state.events[state.oldest].number
                    state.events[state.oldest] = event
                    state.oldest = (state.oldest + 1) % Self.capacity
                }
                state.last = event.number
                if event.kind.endsRun { state.progress[event.download] = nil }
            }
            if let last { state.last = max(state.last, last) }
            return state.takeWaiters(Set(events.map(\.download)))
        }
        for waiter in woken { waiter.resume() }
    }

    /// Skips to a number, after events were missed: subscribers behind it must read them elsewhere.
    package func skip(to number: Int64) {
        let woken = state.withLock { state in
            (state.events, state.oldest, state.progress) = ([], 0, [:])
            (state.last, state.floor) = (number, number)
            return state.takeWaiters(Set(state.waiters.keys.compactMap(\.self)))
        }
        for waiter in woken { waiter.resume() }
    }

    /// Sets the progress of a download.
    package func publish(progress event: DownloadEvent) {
        let woken = state.withLock { state in
            state.version += 1
            state.progress[event.download] = (event, state.version)
            return state.takeWaiters([event.download])
        }
        for waiter in woken { waiter.resume() }
    }

    /// Drops progress that is older than these snapshots, which a subscriber is about to receive.
    ///
    /// Progress is published once in an interval, and a snapshot says what was received by now: without this, progress
    /// would go back after it. The next progress follows within the interval.
    func dropProgress(before snapshots: [DownloadEvent]) {
        state.withLock { state in
            for case .snapshot(let snapshot) in snapshots.lazy.map(\.kind) {
                guard case .progress(let held)? = state.progress[snapshot.id]?.event.kind,
                    held.sessionBytes < snapshot.progress.sessionBytes
                else { continue }
                state.progress[snapshot.id] = nil
            }
        }
    }

    /// Closes the hub; subscriptions end once they have read the remaining events.
    package func close() {
        let woken = state.withLock { state in
            state.isClosed = true
            // Nothing runs any more, so there is no progress.
            state.progress = [:]
            return state.takeWaiters(Set(state.waiters.keys.compactMap(\.self)))
        }
        for waiter in woken { waiter.resume() }
    }

    /// Returns what is new for a subscriber that has read up to `number` and `version`.
    func poll(after number: Int64, progressAfter version: UInt64, of download: DownloadID?) -> Found {
        state.withLock { state in
            if number < state.last {
                guard number >= state.floor else { return .behind }
                return .events(state.events(after: number, of: download), upTo: state.last)
            }
            if version < state.version {
                let newer = state.newerProgress(than: version, of: download)
                if !newer.isEmpty { return .progress(newer, version: state.version) }
            }
            return state.isClosed ? .closed : .nothing
        }
    }

    /// Waits until something may be new; returns at once if there is already, or when the task is cancelled.
    func wait(after number: Int64, progressAfter version: UInt64, of download: DownloadID?) async {
        let token = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isNews = state.withLock { state in
                    let isNew =
                        state.isClosed || number < state.last || Task.isCancelled
                        || (version < state.version && !state.newerProgress(than: version, of: download).isEmpty)
                    if !isNew { state.waiters[download, default: [:]][token] = continuation }
                    return isNew
                }
                if isNews { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.leave(token, of: download) }?.resume()
        }
    }
}

extension EventHub.State {
    fileprivate func events(after number: Int64, of download: DownloadID?) -> [DownloadEvent] {
        // Binary search for the first event after the number: the numbers increase.
        var (low, high) = (0, events.count)
        while low < high {
            let middle = (low + high) / 2
            if events[(oldest + middle) % events.count].number > number { high = middle } else { low = middle + 1 }
        }
        return (low..<events.count).lazy.map { events[(oldest + $0) % events.count] }
            .filter { download == nil || $0.download == download }
    }

    fileprivate func newerProgress(than version: UInt64, of download: DownloadID?) -> [DownloadEvent] {
        let newer =
            if let download {
                progress[download].flatMap { $0.version > version ? [$0] : nil } ?? []
            } else {
                progress.values.filter { $0.version > version }.sorted { $0.version < $1.version }
            }
        // State events of other downloads may have come since, so the progress event gets the number of the last event,
        // which never decreases.
        return newer.map { each in
            var event = each.event
            event.number = last
            return event
        }
    }

    /// Removes a waiter that no longer waits.
    fileprivate mutating func leave(_ token: UInt64, of download: DownloadID?) -> CheckedContinuation<Void, Never>? {
        let waiter = waiters[download]?.removeValue(forKey: token)
        if waiters[download]?.isEmpty == true { waiters[download] = nil }
        return waiter
    }

    /// Removes and returns the waiters for any of these downloads, or for all downloads.
    fileprivate mutating func takeWaiters(_ downloads: Set<DownloadID>) -> [CheckedContinuation<Void, Never>] {
        guard !waiters.isEmpty else { return [] }
        var result = (waiters.removeValue(forKey: nil) ?? [:]).map(\.value)
        for download in downloads { result += (waiters.removeValue(forKey: download) ?? [:]).map(\.value) }
        return result
    }
}
