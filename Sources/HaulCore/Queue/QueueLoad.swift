/// The downloads that run, and how many of them count towards the limits.
struct QueueLoad: Sendable {
    private var running: [DownloadID: QueueEntry] = [:]
    private var byHost: [Int32: Int] = [:]
    private var counted = 0
    private var parked: Set<DownloadID> = []

    var count: Int { running.count }

    func contains(_ id: DownloadID) -> Bool { running[id] != nil }

    func entry(_ id: DownloadID) -> QueueEntry? { running[id] }

    /// Whether the limit lets one more start.
    func hasRoom(_ limit: Int?) -> Bool {
        limit.map { counted < $0 } ?? true
    }

    /// Whether the limit of a host lets one more start.
    func hasRoom(at host: Int32, _ limit: Int?) -> Bool {
        limit.map { byHost[host, default: 0] < $0 } ?? true
    }

    mutating func start(_ entry: QueueEntry) {
        running[entry.id] = entry
        guard !entry.ignoresLimits else { return }
        counted += 1
        byHost[entry.host, default: 0] += 1
    }

    /// Whether a download that runs has given its slot away.
    func isParked(_ id: DownloadID) -> Bool { parked.contains(id) }

    /// How many have.
    var parkedCount: Int { parked.count }

    /// Gives the slot of a download that runs away; its place at its host it keeps.
    mutating func park(_ id: DownloadID) {
        guard let entry = running[id], !entry.ignoresLimits, parked.insert(id).inserted else { return }
        counted -= 1
    }

    /// Gives a parked download a slot, beyond the limit if there is none.
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
