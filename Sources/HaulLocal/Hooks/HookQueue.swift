/// A queue of jobs: in order of arrival, one running at a time, and a limited number waiting.
package struct HookQueue<Job> {
    /// The waiting jobs, oldest first.
    package private(set) var waiting: [Job] = []
    /// True if a job is running.
    package private(set) var isRunning = false
    /// True if no more jobs are accepted.
    package private(set) var isClosed = false
    private let limit: Int

    /// Creates an empty queue in which `limit` jobs can wait, at least one.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// True if no job is waiting or running.
    package var isIdle: Bool { waiting.isEmpty && !isRunning }

    /// Adds a job; returns the one that is dropped, if any: the oldest waiting one, or the new one after `close()`.
    package mutating func add(_ job: Job) -> Job? {
        guard !isClosed else { return job }
        waiting.append(job)
        return waiting.count > limit ? waiting.removeFirst() : nil
    }

    /// Returns the next job, which then counts as running; nil if none waits or one is running.
    package mutating func take() -> Job? {
        guard !isRunning, !waiting.isEmpty else { return nil }
        isRunning = true
        return waiting.removeFirst()
    }

    /// Records that the running job has ended.
    package mutating func end() { isRunning = false }

    /// Closes the queue; returns the waiting jobs, which are dropped.
    package mutating func close() -> [Job] {
        isClosed = true
        defer { waiting = [] }
        return waiting
    }
}

extension HookQueue: Sendable where Job: Sendable {}
