/// Selects the next download: holds those that wait and those that run, and enforces the limits.
///
/// A waiting download may start if its time has come, fewer than `limit` downloads run, and fewer than `hostLimit` of
/// its host run. Among those that may start, the order is: higher priority first; within a priority, those that go
/// first; then by position, ascending (FIFO) or descending (LIFO). A download that ignores the limits starts at once,
/// before all others, and does not count towards either limit.
///
/// Every call takes time logarithmic in the number of downloads. The exceptions: changing the order, or setting or
/// removing the host limit, sorts once; changing the host limit visits each host once; and a download that becomes due
/// is moved once.
package struct Scheduler: Sendable {
    /// The current rules; see `configure`.
    package private(set) var configuration: SchedulerConfiguration

    private var waiting: [DownloadID: QueueEntry] = [:]
    private(set) var load = QueueLoad()
    /// Downloads that wait, are due and obey the limits.
    private var hostQueues = HostQueues()
    /// Downloads that wait, are due and ignore the limits.
    private var exempt = SortedChunks<QueueRank>()
    /// Downloads that wait and have a time, due or not.
    private(set) var times = SortedChunks<QueueTime>()
    /// Running downloads that gave up their slot and need one again, in order.
    private var returning: [DownloadID] = []
    /// The latest time passed in; every download that is due at it is in a lane.
    private var clock: Int64 = 0

    /// Makes a scheduler without downloads.
    package init(_ configuration: SchedulerConfiguration = .init()) {
        self.configuration = configuration
    }

    /// The number of running downloads.
    package var runningCount: Int { load.count }

    /// The number of waiting downloads.
    package var waitingCount: Int { waiting.count }

    /// Returns true if the download runs.
    package func isRunning(_ id: DownloadID) -> Bool { load.contains(id) }

    /// Returns true if the download waits.
    package func isWaiting(_ id: DownloadID) -> Bool { waiting[id] != nil }

    /// Returns the entry of a waiting or running download, or nil if it is unknown.
    package func entry(_ id: DownloadID) -> QueueEntry? { waiting[id] ?? load.entry(id) }

    /// Adds a waiting download; returns false, without any effect, if it runs.
    ///
    /// Replaces the entry of a download that already waits, to change its position, priority or time.
    @discardableResult
    package mutating func add(_ entry: QueueEntry) -> Bool {
        guard !load.contains(entry.id) else { return false }
        if let old = waiting.updateValue(entry, forKey: entry.id) {
            leave(old)
        }
        enter(entry)
        return true
    }

    /// Removes a waiting download; returns nil, without any effect, if it does not wait.
    @discardableResult
    package mutating func remove(_ id: DownloadID) -> QueueEntry? {
        let entry = waiting.removeValue(forKey: id)
        if let entry {
            leave(entry)
        }
        return entry
    }

    /// Returns the next download that may start, and counts it as running; nil if none may start.
    ///
    /// The time is in milliseconds since 1970; it may go back, as it does if the clock is set.
    package mutating func next(now: Int64) -> QueueEntry? {
        advance(to: now)
        guard let rank = exempt.first ?? (load.hasRoom(configuration.limit) ? hostQueues.best : nil),
            let entry = remove(rank.id)
        else { return nil }
        let wasOpen = isOpen(entry)
        load.start(entry)
        if wasOpen, !isOpen(entry) {
            hostQueues.close(hostQueue(of: entry))
        }
        return entry
    }

    /// The maximum number of downloads that may have given up their slot: each is still in memory, perhaps with an open
    /// file.
    package static let parkedLimit = 64

    /// Frees the slot of a running download that waits for its next attempt.
    ///
    /// It still counts towards the limit of its host: a busy server is not asked for more files. Has no effect on a
    /// download that ignores the limits, or if `parkedLimit` downloads have given up their slot.
    package mutating func park(_ id: DownloadID) {
        if load.parkedCount < Self.parkedLimit { load.park(id) }
    }

    /// Requests a slot for a parked download that continues after waiting for its next attempt.
    package mutating func wantsBack(_ id: DownloadID) {
        if load.contains(id), !returning.contains(id) { returning.append(id) }
    }

    /// Returns the next parked download that may continue, and counts it as running; nil if none may.
    ///
    /// These come before all downloads that have not started, so call this before `next(now:)`.
    package mutating func nextBack() -> DownloadID? {
        guard let index = returning.firstIndex(where: { !load.isParked($0) || load.hasRoom(configuration.limit) })
        else { return nil }
        let id = returning.remove(at: index)
        load.unpark(id)
        return id
    }

    /// Frees the slot of a download that ran; has no effect if it did not.
    package mutating func ended(_ id: DownloadID) {
        returning.removeAll { $0 == id }
        guard let entry = load.entry(id) else { return }
        let wasOpen = isOpen(entry)
        load.end(id)
        if !wasOpen, isOpen(entry) {
            hostQueues.open(hostQueue(of: entry))
        }
    }

    /// Sets new rules for later calls; running downloads continue, even beyond a lower limit.
    package mutating func configure(_ configuration: SchedulerConfiguration) {
        let old = self.configuration
        self.configuration = configuration
        if old.order != configuration.order || (old.hostLimit == nil) != (configuration.hostLimit == nil) {
            rebuild()
        } else if old.hostLimit != configuration.hostLimit {
            hostQueues.reopen { load.hasRoom(at: $0, configuration.hostLimit) }
        }
    }
}

extension Scheduler {
    /// Moves downloads that have become due to their lanes, and back if the clock went back.
    private mutating func advance(to now: Int64) {
        let (from, to) = (min(clock, now), max(clock, now))
        let isLater = now > clock
        clock = now
        var next = QueueTime(after: from)
        while let bound = next, let time = times.first(atOrAbove: bound), time.time <= to {
            if let entry = waiting[time.id] {
                isLater ? enqueue(entry) : dequeue(entry)
            }
            next = QueueTime(above: time)
        }
    }

    private mutating func rebuild() {
        (hostQueues, exempt) = (HostQueues(), SortedChunks())
        for entry in waiting.values where isDue(entry) {
            enqueue(entry)
        }
    }

    private mutating func enter(_ entry: QueueEntry) {
        if entry.notBefore > 0 {
            times.insert(QueueTime(entry))
        }
        if isDue(entry) {
            enqueue(entry)
        }
    }

    private mutating func leave(_ entry: QueueEntry) {
        if entry.notBefore > 0 {
            times.remove(QueueTime(entry))
        }
        if isDue(entry) {
            dequeue(entry)
        }
    }

    private mutating func enqueue(_ entry: QueueEntry) {
        if entry.ignoresLimits {
            exempt.insert(rank(of: entry))
        } else {
            hostQueues.insert(rank(of: entry), isOpen: isOpen(entry))
        }
    }

    private mutating func dequeue(_ entry: QueueEntry) {
        if entry.ignoresLimits {
            exempt.remove(rank(of: entry))
        } else {
            hostQueues.remove(rank(of: entry), isOpen: isOpen(entry))
        }
    }

    private func rank(of entry: QueueEntry) -> QueueRank {
        QueueRank(entry, hostQueue: hostQueue(of: entry), order: configuration.order)
    }

    /// Returns the lane of a download; without a host limit there is only one.
    private func hostQueue(of entry: QueueEntry) -> Int32 {
        configuration.hostLimit == nil ? 0 : entry.host
    }

    private func isDue(_ entry: QueueEntry) -> Bool {
        entry.notBefore <= max(0, clock)
    }

    private func isOpen(_ entry: QueueEntry) -> Bool {
        load.hasRoom(at: entry.host, configuration.hostLimit)
    }
}

/// The rules of a scheduler, which can change while it runs.
package struct SchedulerConfiguration: Hashable, Sendable {
    /// The maximum number of running downloads; nil means no limit, 0 starts none.
    package var limit: Int? = 3
    /// The order of downloads of the same priority.
    package var order = QueueOrder.fifo
    /// The maximum number of running downloads per host; nil means no limit.
    package var hostLimit: Int?

    /// Makes the default rules: three running downloads, in the order of the list.
    package init() {}
}
