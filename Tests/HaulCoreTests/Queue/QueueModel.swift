import HaulCore

/// A scheduler that is right by inspection: arrays that are filtered and sorted at every question.
struct QueueModel: Hashable {
    var configuration = SchedulerConfiguration()
    private(set) var waiting: [QueueEntry] = []
    private(set) var running: [QueueEntry] = []

    var counted: [QueueEntry] { running.filter { !$0.ignoresLimits } }

    mutating func add(_ entry: QueueEntry) -> Bool {
        if running.contains(where: { $0.id == entry.id }) { return false }
        _ = remove(entry.id)
        // In the order of their ids, so that equal models are equal values.
        waiting = (waiting + [entry]).sorted { $0.id < $1.id }
        return true
    }

    mutating func fill(_ entries: [QueueEntry]) {
        waiting = entries
    }

    mutating func remove(_ id: DownloadID) -> QueueEntry? {
        waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0) }
    }

    mutating func ended(_ id: DownloadID) {
        running.removeAll { $0.id == id }
    }

    mutating func next(now: Int64) -> QueueEntry? {
        let able = line.filter { reason($0.id, now: now) == .start }
        guard let entry = able.first(where: \.ignoresLimits) ?? able.first else { return nil }
        _ = remove(entry.id)
        running = (running + [entry]).sorted { $0.id < $1.id }
        return entry
    }

    func reason(_ id: DownloadID, now: Int64) -> QueueReason {
        guard let entry = waiting.first(where: { $0.id == id }) else { return .notWaiting }
        if entry.notBefore > 0, entry.notBefore > now { return .notBefore(entry.notBefore) }
        if entry.ignoresLimits { return .start }
        if let limit = configuration.hostLimit, counted.filter({ $0.host == entry.host }).count >= limit {
            return .host(entry.host, limit: limit)
        }
        if let limit = configuration.limit, counted.count >= limit { return .turn(limit: limit) }
        return .start
    }

    func nextWake(now: Int64) -> Int64? {
        waiting.map(\.notBefore).filter { $0 > 0 && $0 > now }.min()
    }

    /// All that wait, in the order in which they would start.
    var line: [QueueEntry] {
        waiting.sorted { first, second in
            if first.priority != second.priority { return first.priority > second.priority }
            if first.goesFirst != second.goesFirst { return first.goesFirst }
            if first.position != second.position {
                return (first.position < second.position) == (configuration.order == .fifo)
            }
            return first.id < second.id
        }
    }
}
