/// The rank of a waiting download, and its lane; the lowest rank starts first.
///
/// The order is: higher priority first; within a priority, those that go first; then by position, ascending (FIFO) or
/// descending (LIFO); at the same position the older download.
struct QueueRank: Comparable, Sendable {
    let level: Int32
    let hostQueue: Int32
    let position: Int64
    let id: DownloadID

    init(_ entry: QueueEntry, hostQueue: Int32, order: QueueOrder) {
        level = -2 * Int32(entry.priority) - (entry.goesFirst ? 1 : 0)
        // The complement falls as the number rises, and unlike the negative it exists for every number.
        position = order == .fifo ? entry.position : ~entry.position
        id = entry.id
        self.hostQueue = hostQueue
    }

    /// Makes the lower bound of all ranks in a lane.
    init(lowestOf hostQueue: Int32) {
        (level, position, id) = (.min, .min, DownloadID(rawValue: .min))
        self.hostQueue = hostQueue
    }

    static func < (first: QueueRank, second: QueueRank) -> Bool {
        if first.level != second.level { return first.level < second.level }
        if first.position != second.position { return first.position < second.position }
        return first.id < second.id
    }
}

/// A rank sorted by lane first, so that the downloads of one lane are adjacent.
struct HostQueueRank: Comparable, Sendable {
    let rank: QueueRank

    static func < (first: HostQueueRank, second: HostQueueRank) -> Bool {
        first.rank.hostQueue != second.rank.hostQueue
            ? first.rank.hostQueue < second.rank.hostQueue : first.rank < second.rank
    }
}
