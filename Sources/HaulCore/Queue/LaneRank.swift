/// A rank, sorted by lane first: the downloads of one lane stand together.
struct LaneRank: Comparable, Sendable {
    let rank: QueueRank

    static func < (first: LaneRank, second: LaneRank) -> Bool {
        first.rank.lane != second.rank.lane ? first.rank.lane < second.rank.lane : first.rank < second.rank
    }
}
