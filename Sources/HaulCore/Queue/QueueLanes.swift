/// The downloads that wait for nothing but their turn, in lanes; a lane is open while its host has room.
///
/// One ordered set holds all lanes, one after the other, and a second one the first of every open lane. So the
/// best download that may start is found without a look at those that may not, however many hosts are full and
/// however many downloads wait for them. A lane costs nothing of its own.
struct QueueLanes: Sendable {
    private var line = SortedChunks<LaneRank>()
    private var heads = SortedChunks<QueueRank>()

    /// The first in line of all open lanes.
    var best: QueueRank? { heads.first }

    mutating func insert(_ rank: QueueRank, isOpen: Bool) {
        let head = isOpen ? head(of: rank.lane) : nil
        line.insert(LaneRank(rank: rank))
        guard isOpen else { return }
        if let head {
            guard rank < head else { return }
            heads.remove(head)
        }
        heads.insert(rank)
    }

    mutating func remove(_ rank: QueueRank, isOpen: Bool) {
        line.remove(LaneRank(rank: rank))
        if isOpen, heads.remove(rank) {
            open(rank.lane)
        }
    }

    /// Lets the downloads of a closed lane start again.
    mutating func open(_ lane: Int32) {
        if let head = head(of: lane) {
            heads.insert(head)
        }
    }

    /// Holds the downloads of an open lane back.
    mutating func close(_ lane: Int32) {
        if let head = head(of: lane) {
            heads.remove(head)
        }
    }

    /// Opens and closes every lane anew.
    mutating func reopen(where isOpen: (Int32) -> Bool) {
        heads = SortedChunks()
        var next = line.first?.rank
        while let head = next {
            if isOpen(head.lane) {
                heads.insert(head)
            }
            guard head.lane < Int32.max else { return }
            next = line.first(atOrAbove: LaneRank(rank: QueueRank(lowestOf: head.lane + 1)))?.rank
        }
    }

    private func head(of lane: Int32) -> QueueRank? {
        let rank = line.first(atOrAbove: LaneRank(rank: QueueRank(lowestOf: lane)))?.rank
        return rank?.lane == lane ? rank : nil
    }
}
