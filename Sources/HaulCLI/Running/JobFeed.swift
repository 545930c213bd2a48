import Synchronization

/// Hands the items of a queue, which are read ahead a little, to several workers.
///
/// A worker that finds one goes on without waking a thread.
final class JobFeed: Sendable {
    private typealias Worker = CheckedContinuation<JobQueue.Item?, Never>

    private struct State {
        var items: [JobQueue.Item] = []
        /// How many of `items` were taken.
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

    /// From so many on that wait, no more is read ahead.
    private static let limit = 64
    /// How many are best added at once: where no more than these are left, the reader goes on.
    static let portion = 32

    private let state = Mutex(State())

    /// The next item; nil at the end.
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

    /// Adds items; waits while enough of them are there.
    ///
    /// After the end they are discarded.
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

    /// Nothing follows; what was not taken yet still is, or with `discarding` never will be.
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

    /// An item that was taken is not used.
    func discard() { state.withLock { $0.hasDiscarded = true } }

    /// Whether there was an item that nobody will take.
    var hasDiscarded: Bool { state.withLock { $0.hasDiscarded } }
}
