/// A rank, sorted by lane first: the downloads of one lane stand together.
struct HostQueueRank: Comparable, Sendable {
    let rank: QueueRank

    static func < (first: HostQueueRank, second: HostQueueRank) -> Bool {
        first.rank.hostQueue != second.rank.hostQueue ? first.rank.hostQueue < second.rank.hostQueue : first.rank < second.rank
    }
}
