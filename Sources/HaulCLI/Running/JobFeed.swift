import Synchronization

/// Hands the items of a queue, which are read slightly ahead, to several workers.
///
/// A worker that finds an item continues without waking a thread.
final class JobFeed: Sendable {
    private typealias Worker = CheckedContinuation<JobQueue.Item?, Never>

    private struct State {
        var items: [JobQueue.Item] = []
        /// The number of `items` that were taken.
        var taken = 0
        var isEnded = false
        var hasDiscarded = false
        var workers: [Worker] = []
        var reader: CheckedContinuation<Void, Never>?

        var waiting: Int { items.count - taken }
        var isFull: Bool { waiting >= JobFeed.limit && !isEnded }

        mutating func take() -> JobQueue.Item? {
            guard waiting > 0 else { return nil }
            defer {
                taken += 1
                if taken == items.count { (items, taken) = ([], 0) }
            }
            return items[taken]
        }
    }

    /// Reading ahead pauses when this number of items is waiting.
    private static let limit = 64
    /// The number of items to add at once; the reader continues when at most this many are left.
    static let portion = 32

    private let state = Mutex(State())

    /// Returns the next item; nil at the end.
    func next() async -> JobQueue.Item? {
        let (item, isOver, reader) = state.withLock {
            state -> (JobQueue.Item?, Bool, CheckedContinuation<Void, Never>?) in
            let item = state.take()
            guard state.waiting <= Self.portion else { return (item, false, nil) }
            defer { state.reader = nil }
            return (item, item == nil && state.isEnded, state.reader)
        }
        reader?.resume()
        if item != nil || isOver { return item }
        return await withCheckedContinuation { worker in
            let response: JobQueue.Item?? = state.withLock { state in
                if let item = state.take() { return .some(item) }
                guard !state.isEnded else { return .some(nil) }
                state.workers.append(worker)
                return nil
            }
            if let response { worker.resume(returning: response) }
        }
    }

    /// Adds items; waits while the feed is full.
    ///
    /// After the end, items are discarded.
    func add(_ items: [JobQueue.Item]) async {
        let (served, isFull) = state.withLock { state -> (served: [(Worker, JobQueue.Item)], isFull: Bool) in
            guard !state.isEnded else {
                state.hasDiscarded = state.hasDiscarded || !items.isEmpty
                return ([], false)
            }
            let served = Array(zip(state.workers.suffix(items.count), items))
            state.workers.removeLast(served.count)
            state.items += items.dropFirst(served.count)
            return (served, state.isFull)
        }
        for (worker, item) in served { worker.resume(returning: item) }
        guard isFull else { return }
        await withCheckedContinuation { reader in
            let isFull = state.withLock { state in
                guard state.isFull else { return false }
                state.reader = reader
                return true
            }
            if !isFull { reader.resume() }
        }
    }

    /// Ends the feed; items not yet taken are still handed out, or dropped if `discarding`.
    func end(discarding: Bool) {
        let (workers, reader) = state.withLock { state in
            state.isEnded = true
            if discarding {
                state.hasDiscarded = state.hasDiscarded || state.waiting > 0
                (state.items, state.taken) = ([], 0)
            }
            defer { (state.workers, state.reader) = ([], nil) }
            return (state.workers, state.reader)
        }
        for worker in workers { worker.resume(returning: nil) }
        reader?.resume()
    }

    /// Records that an item was taken but not used.
    func discard() { state.withLock { $0.hasDiscarded = true } }

    /// True if an item was dropped or not used.
    var hasDiscarded: Bool { state.withLock { $0.hasDiscarded } }
}
