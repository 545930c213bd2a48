/// The downloads that wait only for a free slot, in lanes, usually one per host.
///
/// A lane is open while its host has a free slot.
///
/// One ordered set holds all lanes, one after the other; a second one holds the first download of every open lane. So
/// the best download that may start is found without looking at those that may not, however many hosts are full and
/// however many downloads wait for them. A lane itself takes no memory.
struct HostQueues: Sendable {
    private var line = SortedChunks<HostQueueRank>()
    private var heads = SortedChunks<QueueRank>()

    /// The first download of all open lanes.
    var best: QueueRank? { heads.first }

    mutating func insert(_ rank: QueueRank, isOpen: Bool) {
        let head = isOpen ? head(of: rank.hostQueue) : nil
        line.insert(HostQueueRank(rank: rank))
        guard isOpen else { return }
        if let head {
            guard rank < head else { return }
            heads.remove(head)
        }
        heads.insert(rank)
    }

    mutating func remove(_ rank: QueueRank, isOpen: Bool) {
        line.remove(HostQueueRank(rank: rank))
        if isOpen, heads.remove(rank) {
            open(rank.hostQueue)
        }
    }

    /// Opens a closed lane, so that its downloads can start.
    mutating func open(_ hostQueue: Int32) {
        if let head = head(of: hostQueue) {
            heads.insert(head)
        }
    }

    /// Closes an open lane, so that its downloads wait.
    mutating func close(_ hostQueue: Int32) {
        if let head = head(of: hostQueue) {
            heads.remove(head)
        }
    }

    /// Opens and closes every lane as the function says.
    mutating func reopen(where isOpen: (Int32) -> Bool) {
        heads = SortedChunks()
        var next = line.first?.rank
        while let head = next {
            if isOpen(head.hostQueue) {
                heads.insert(head)
            }
            guard head.hostQueue < Int32.max else { return }
            next = line.first(atOrAbove: HostQueueRank(rank: QueueRank(lowestOf: head.hostQueue + 1)))?.rank
        }
    }

    private func head(of hostQueue: Int32) -> QueueRank? {
        let rank = line.first(atOrAbove: HostQueueRank(rank: QueueRank(lowestOf: hostQueue)))?.rank
        return rank?.hostQueue == hostQueue ? rank : nil
    }
}
