import Synchronization

/// Hands the items of a queue, which are read ahead a little, to several workers.
///
/// A worker that finds one goes on without waking a thread.
final class JobFeed: Sendable {
    private struct State {
        var items: [JobQueue.Item] = []
        /// How many of `items` were taken.
        var taken = 0
        var isEnded = false
        var hasDiscarded = false
        var workers: [CheckedContinuation<JobQueue.Item?, Never>] = []
        var reader: CheckedContinuation<Void, Never>?

        var waiting: Int { items.count - taken }

        mutating func take() -> JobQueue.Item? {
            guard waiting > 0 else { return nil }
            defer {
                taken += 1
                if taken == items.count { (items, taken) = ([], 0) }
            }
            return items[taken]
        }
    }

    /// The most that is read ahead.
    private static let limit = 64

    private let state = Mutex(State())

    /// The next item; nil at the end.
    func next() async -> JobQueue.Item? {
        let (item, isOver, reader) = state.withLock {
            state -> (JobQueue.Item?, Bool, CheckedContinuation<Void, Never>?) in
            let item = state.take()
            guard state.waiting <= Self.limit / 2 else { return (item, false, nil) }
            defer { state.reader = nil }
            return (item, item == nil && state.isEnded, state.reader)
        }
        reader?.resume()
        if item != nil || isOver { return item }
        return await withCheckedContinuation { worker in
            let answer: JobQueue.Item?? = state.withLock { state in
                if let item = state.take() { return .some(item) }
                guard !state.isEnded else { return .some(nil) }
                state.workers.append(worker)
                return nil
            }
            if let answer { worker.resume(returning: answer) }
        }
    }

    /// Adds an item; waits while enough of them are there.
    ///
    /// After the end it is discarded.
    func add(_ item: JobQueue.Item) async {
        let worker = state.withLock { state -> CheckedContinuation<JobQueue.Item?, Never>? in
            guard !state.isEnded else {
                state.hasDiscarded = true
                return nil
            }
            if let worker = state.workers.popLast() { return worker }
            state.items.append(item)
            return nil
        }
        worker?.resume(returning: item)
        await withCheckedContinuation { reader in
            let isFull = state.withLock { state in
                guard state.waiting >= Self.limit, !state.isEnded else { return false }
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

    /// Whether there was an item that nobody will take.
    var hasDiscarded: Bool { state.withLock { $0.hasDiscarded } }
}
