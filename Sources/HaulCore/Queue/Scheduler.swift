/// Which download is next: holds those that wait and those that run, and keeps to the limits.
///
/// A waiting download may start when its time has come, fewer than `limit` downloads run and fewer than `hostLimit` of
/// its host. Among those that may start the line decides: higher priority first; within a priority those that go first;
/// then by position, rising (FIFO) or falling (LIFO). A download that ignores the limits starts at once, before
/// all others, and does not count towards either limit.
///
/// Every call takes time that grows with the logarithm of the number of downloads, wherever they wait. The exceptions:
/// a changed order, or a host limit that comes or goes, sorts once; another host limit looks at each host once; and
/// a download whose time has come is moved once.
package struct Scheduler: Sendable {
    /// The rules that hold at present; see `configure`.
    package private(set) var configuration: SchedulerConfiguration

    private var waiting: [DownloadID: QueueEntry] = [:]
    private(set) var load = QueueLoad()
    /// Those that wait, are due and keep to the limits.
    private var hostQueues = HostQueues()
    /// Those that wait, are due and ignore the limits.
    private var exempt = SortedChunks<QueueRank>()
    /// All that wait and have a time, due or not.
    private(set) var times = SortedChunks<QueueTime>()
    /// Those that run, have given their slot away and want one again, in order.
    private var returning: [DownloadID] = []
    /// The time that was told last: what is due at it stands in a lane.
    private var clock: Int64 = 0

    /// Makes a scheduler that knows no download.
    package init(_ configuration: SchedulerConfiguration = .init()) {
        self.configuration = configuration
    }

    /// The number of downloads that run.
    package var runningCount: Int { load.count }

    /// The number of downloads that wait.
    package var waitingCount: Int { waiting.count }

    /// Whether the download runs.
    package func isRunning(_ id: DownloadID) -> Bool { load.contains(id) }

    /// Whether the download waits.
    package func isWaiting(_ id: DownloadID) -> Bool { waiting[id] != nil }

    /// What was told of a download, whether it waits or runs; nil where it is not known.
    package func entry(_ id: DownloadID) -> QueueEntry? { waiting[id] ?? load.entry(id) }

    /// Lets a download wait for its turn; false, without any effect, where it runs.
    ///
    /// What was told before of a download that waits is replaced: so its position, priority or time changes.
    @discardableResult
    package mutating func add(_ entry: QueueEntry) -> Bool {
        guard !load.contains(entry.id) else { return false }
        if let old = waiting.updateValue(entry, forKey: entry.id) {
            leave(old)
        }
        enter(entry)
        return true
    }

    /// Takes a download out of those that wait; nil, without any effect, where it does not wait.
    @discardableResult
    package mutating func remove(_ id: DownloadID) -> QueueEntry? {
        let entry = waiting.removeValue(forKey: id)
        if let entry {
            leave(entry)
        }
        return entry
    }

    /// The next download that may start, now counted among those that run; nil where none may.
    ///
    /// The time is in milliseconds since 1970; it may go back, as a clock that was set does.
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

    /// The most downloads that may have given their slot away: each is still in memory, perhaps with an open file.
    package static let parkedLimit = 64

    /// Lets the next download have the slot of one that runs, but waits for its next attempt.
    ///
    /// Its place at its host it keeps: a server that is busy is not asked for more files. Has no effect on a download that ignores the limits,
    /// and none if too many have given theirs away.
    package mutating func park(_ id: DownloadID) {
        if load.parkedCount < Self.parkedLimit { load.park(id) }
    }

    /// A download that waited for its next attempt is to continue.
    package mutating func wantsBack(_ id: DownloadID) {
        if load.contains(id), !returning.contains(id) { returning.append(id) }
    }

    /// The next download that may continue, or nil; it counts as running from now on.
    ///
    /// They come before all that have not begun, so this is asked before `next(now:)`.
    package mutating func nextBack() -> DownloadID? {
        guard let index = returning.firstIndex(where: { !load.isParked($0) || load.hasRoom(configuration.limit) })
        else { return nil }
        let id = returning.remove(at: index)
        load.unpark(id)
        return id
    }

    /// Frees the place of a download that ran; without any effect where it did not.
    package mutating func ended(_ id: DownloadID) {
        returning.removeAll { $0 == id }
        guard let entry = load.entry(id) else { return }
        let wasOpen = isOpen(entry)
        load.end(id)
        if !wasOpen, isOpen(entry) {
            hostQueues.open(hostQueue(of: entry))
        }
    }

    /// Sets other rules, which hold for every later answer; what runs goes on, even beyond a lower limit.
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
    /// Moves to their lanes those that have become due, and out of them those that no longer are.
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

    /// Without a limit for hosts all stand in one lane.
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

/// The rules of a scheduler that can change while it works.
package struct SchedulerConfiguration: Hashable, Sendable {
    /// How many downloads run at once; nil: any number; 0: none starts.
    package var limit: Int? = 3
    /// Which of two downloads of the same priority comes first.
    package var order = QueueOrder.fifo
    /// How many downloads of one host run at once; nil: any number.
    package var hostLimit: Int?

    /// Makes the rules that hold where nobody says otherwise: three at once, in the order of the list.
    package init() {}
}
