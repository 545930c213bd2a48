package import Haul
import Synchronization

/// The slots of the downloads that run at the same time.
///
/// A download that waits for its next attempt is parked: its slot goes to the next download in the list. When its wait
/// is over it takes the first free slot, before downloads that have not started.
package final class JobSlots: Sendable {
    private typealias Worker = CheckedContinuation<Void, Never>

    private struct State {
        var free: Int
        var workers: Int
        /// The parked downloads, by job number.
        var parked: Set<Int> = []
        /// The parked downloads that want a slot again, in order.
        var returning: [Int] = []
        /// The parked downloads for which a slot is reserved.
        var regained: Set<Int> = []
        /// The workers that wait for the turn of their downloads.
        var deferred = 0
        /// The workers that have a download to start.
        var waiting: [Worker] = []

        /// Takes a slot if one is free.
        mutating func take() -> Bool {
            guard free > 0 else { return false }
            free -= 1
            return true
        }

        /// Counts another worker if there are too few for the slots.
        mutating func needsWorker(_ limit: Int) -> Bool {
            guard workers < limit + parked.count + deferred else { return false }
            workers += 1
            return true
        }

        /// Frees a slot and returns the worker that gets it, if any.
        mutating func give() -> Worker? {
            if !returning.isEmpty {
                regained.insert(returning.removeFirst())
                return nil
            }
            guard waiting.isEmpty else { return waiting.removeFirst() }
            free += 1
            return nil
        }
    }

    private let limit: Int
    /// The maximum number of workers that wait for the turn of their downloads; each uses memory.
    private static let deferredLimit = 64
    /// The maximum number of parked downloads; each uses memory, and perhaps an open file.
    private let parkedLimit: Int
    private let needWorker: @Sendable () -> Void
    private let state: Mutex<State>

    /// Makes the slots of a run, with one worker for each slot.
    ///
    /// - Parameter needWorker: Called when a slot is free and no worker is left to use it; the caller must then start
    ///   one.
    package init(_ limit: Int, needWorker: @escaping @Sendable () -> Void = {}) {
        self.limit = limit
        parkedLimit = max(16, 4 * limit)
        self.needWorker = needWorker
        state = Mutex(State(free: limit, workers: limit))
    }

    /// Waits for a slot for a download that starts.
    package func acquire() async {
        guard !state.withLock({ $0.take() }) else { return }
        await withCheckedContinuation { worker in
            let hasSlot = state.withLock { state in
                if state.take() { return true }
                state.waiting.append(worker)
                return false
            }
            if hasSlot { worker.resume() }
        }
    }

    /// Frees the slot of a job that has ended.
    package func leave(_ job: Int) {
        let next = state.withLock { state -> Worker? in
            if state.parked.remove(job) != nil {
                state.returning.removeAll { $0 == job }
                guard state.regained.remove(job) != nil else { return nil }
            }
            return state.give()
        }
        next?.resume()
    }

    /// Waits for something other than a slot, while another worker looks for a download that can start.
    package func awaitTurn(_ turn: () async -> Void) async {
        let (isDeferred, needsWorker) = state.withLock { state -> (Bool, Bool) in
            guard state.deferred < Self.deferredLimit else { return (false, false) }
            state.deferred += 1
            return (true, state.needsWorker(limit))
        }
        if needsWorker { needWorker() }
        await turn()
        if isDeferred { state.withLock { $0.deferred -= 1 } }
    }

    /// Records that a worker has ended.
    ///
    /// - Returns: True if it was the last one.
    package func endWorker() -> Bool {
        state.withLock { state in
            state.workers -= 1
            return state.workers == 0
        }
    }

    /// Returns the slot of a job.
    package func slot(of job: Int) -> any RunSlot { JobSlot(slots: self, job: job) }

    fileprivate func park(_ job: Int) -> Bool {
        let (isParked, next, needsWorker) = state.withLock { state -> (Bool, Worker?, Bool) in
            guard state.parked.count < parkedLimit, state.parked.insert(job).inserted else {
                return (false, nil, false)
            }
            return (true, state.give(), state.needsWorker(limit))
        }
        next?.resume()
        if needsWorker { needWorker() }
        return isParked
    }

    fileprivate func reclaim(_ job: Int) -> Bool {
        state.withLock { state in
            guard state.parked.contains(job) else { return true }
            guard state.regained.remove(job) != nil || state.take() else {
                if !state.returning.contains(job) { state.returning.append(job) }
                return false
            }
            state.parked.remove(job)
            return true
        }
    }
}

private struct JobSlot: RunSlot {
    let slots: JobSlots
    let job: Int

    func park() -> Bool { slots.park(job) }

    func reclaim() -> Bool { slots.reclaim(job) }
}
