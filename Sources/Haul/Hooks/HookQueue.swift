/// Which job is next: in order of arrival, one at a time, and never more waiting than allowed.
package struct HookQueue<Job> {
    /// What waits, oldest first.
    package private(set) var waiting: [Job] = []
    /// Whether one is at work.
    package private(set) var isRunning = false
    /// Whether no more are taken in.
    package private(set) var isClosed = false
    private let limit: Int

    /// Makes an empty queue in which `limit` jobs can wait, at least one.
    package init(limit: Int) { self.limit = max(1, limit) }

    /// Whether nothing waits and nothing is at work.
    package var isIdle: Bool { waiting.isEmpty && !isRunning }

    /// Takes a job in; returns the one that is dropped for it, if any: the oldest that waits, or the new one after `close()`.
    package mutating func add(_ job: Job) -> Job? {
        guard !isClosed else { return job }
        waiting.append(job)
        return waiting.count > limit ? waiting.removeFirst() : nil
    }

    /// Hands out the next job, which then is at work; nil where none waits or one is at work.
    package mutating func take() -> Job? {
        guard !isRunning, !waiting.isEmpty else { return nil }
        isRunning = true
        return waiting.removeFirst()
    }

    /// Notes that the job at work has ended.
    package mutating func end() { isRunning = false }

    /// Takes no more in; returns what waited, which is dropped.
    package mutating func close() -> [Job] {
        isClosed = true
        defer { waiting = [] }
        return waiting
    }
}

extension HookQueue: Sendable where Job: Sendable {}
