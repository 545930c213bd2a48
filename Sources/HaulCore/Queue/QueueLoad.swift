/// The running downloads, and the number of them that count towards the limits.
struct QueueLoad: Sendable {
    private var running: [DownloadID: QueueEntry] = [:]
    private var byHost: [Int32: Int] = [:]
    private var counted = 0
    private var parked: Set<DownloadID> = []

    var count: Int { running.count }

    func contains(_ id: DownloadID) -> Bool { running[id] != nil }

    func entry(_ id: DownloadID) -> QueueEntry? { running[id] }

    /// Returns true if the limit allows another download.
    func hasRoom(_ limit: Int?) -> Bool {
        limit.map { counted < $0 } ?? true
    }

    /// Returns true if the limit of a host allows another download.
    func hasRoom(at host: Int32, _ limit: Int?) -> Bool {
        limit.map { byHost[host, default: 0] < $0 } ?? true
    }

    mutating func start(_ entry: QueueEntry) {
        running[entry.id] = entry
        guard !entry.ignoresLimits else { return }
        counted += 1
        byHost[entry.host, default: 0] += 1
    }

    /// Returns true if a running download has given up its slot.
    func isParked(_ id: DownloadID) -> Bool { parked.contains(id) }

    /// The number of running downloads that have given up their slot.
    var parkedCount: Int { parked.count }

    /// Frees the slot of a running download; it still counts towards the limit of its host.
    mutating func park(_ id: DownloadID) {
        guard let entry = running[id], !entry.ignoresLimits, parked.insert(id).inserted else { return }
        counted -= 1
    }

    /// Gives a parked download a slot, even beyond the limit.
    mutating func unpark(_ id: DownloadID) {
        if parked.remove(id) != nil { counted += 1 }
    }

    mutating func end(_ id: DownloadID) {
        unpark(id)
        guard let entry = running.removeValue(forKey: id), !entry.ignoresLimits else { return }
        counted -= 1
        let left = byHost[entry.host, default: 0] - 1
        byHost[entry.host] = left > 0 ? left : nil
    }
}
