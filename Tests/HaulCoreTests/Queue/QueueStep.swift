import HaulCore

/// One call of a scheduler.
enum QueueStep: Hashable {
    case add(QueueEntry)
    case remove(DownloadID)
    case next(now: Int64)
    case ended(DownloadID)
    case configure(SchedulerConfiguration)

    /// Makes the call on both; whether both gave the same answer.
    func apply(to scheduler: inout Scheduler, and model: inout QueueModel) -> Bool {
        switch self {
        case .add(let entry): return scheduler.add(entry) == model.add(entry)
        case .remove(let id): return scheduler.remove(id) == model.remove(id)
        case .next(let now): return scheduler.next(now: now) == model.next(now: now)
        case .ended(let id):
            scheduler.ended(id)
            model.ended(id)
        case .configure(let configuration):
            scheduler.configure(configuration)
            model.configuration = configuration
        }
        return true
    }
}

extension QueueModel {
    /// Whether the scheduler gives the model's answers, about these downloads at these times.
    func agrees(with scheduler: Scheduler, about ids: some Sequence<DownloadID>, at times: [Int64]) -> Bool {
        guard scheduler.waitingCount == waiting.count, scheduler.runningCount == running.count else { return false }
        guard scheduler.configuration == configuration else { return false }
        guard times.allSatisfy({ scheduler.nextWake(now: $0) == nextWake(now: $0) }) else { return false }
        return ids.allSatisfy { id in
            let waits = waiting.first { $0.id == id }
            let runs = running.first { $0.id == id }
            return scheduler.isWaiting(id) == (waits != nil) && scheduler.isRunning(id) == (runs != nil)
                && scheduler.entry(id) == (waits ?? runs)
                && times.allSatisfy { scheduler.reason(id, now: $0) == reason(id, now: $0) }
        }
    }
}

extension SchedulerConfiguration {
    init(limit: Int?, order: QueueOrder = .fifo, hostLimit: Int? = nil) {
        self.init()
        self.limit = limit
        self.order = order
        self.hostLimit = hostLimit
    }
}

extension QueueEntry {
    init(_ id: Int64, position: Int64? = nil) {
        self.init(id: DownloadID(rawValue: id), position: position ?? id)
    }
}
