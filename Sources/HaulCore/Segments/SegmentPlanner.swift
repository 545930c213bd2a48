/// Decides what an idle connection does next.
///
/// A pure function: equal arguments give equal results.
package struct SegmentPlanner: Hashable, Sendable {
    /// The minimum size of a piece that a takeover creates, in bytes.
    package var minimumPiece: Int64 = 256 << 10
    /// Takeover offsets are near multiples of this.
    package var alignment: Int64 = 16 << 10

    /// Returns the distance of a takeover from a multiple of `alignment`: odd, and different for each of them.
    ///
    /// Servers write in blocks. If segments ended where a block does, the response that is cut off there would have no
    /// byte beyond its end, by which a loss in it shows.
    static func shift(at aligned: Int64, alignment: Int64) -> Int64 {
        alignment > 1 ? aligned / alignment * 2_477 % (alignment / 2) | 1 : 0
    }

    /// Makes a planner with the measured defaults.
    ///
    /// - Parameter smallestPart: Replaces `minimumPiece` if it is larger.
    package init(smallestPart: Int64? = nil) { minimumPiece = max(minimumPiece, smallestPart ?? 0) }

    /// A connection that works on a segment.
    package struct Active: Hashable, Sendable {
        /// The id of the segment.
        package var segment: Int
        /// Bytes per second, or 0 while unknown.
        package var speed: Double

        /// Makes an entry.
        package init(segment: Int, speed: Double) {
            self.segment = segment
            self.speed = speed
        }
    }

    /// The next task of a connection.
    package enum Work: Hashable, Sendable {
        /// Fetch the rest of a segment that has no connection.
        case fetch(segment: Int)
        /// Take over a segment from `offset` on.
        case takeOver(segment: Int, at: Int64)
    }

    /// Returns the next task, or nil if another connection would not help.
    ///
    /// - Parameters:
    ///   - idle: The number of idle connections, including this one: pieces are sized so that each may get one.
    ///   - horizon: The limit up to which bytes may be fetched now; nil means no limit.
    ///   - pace: The amount per request; nil means as much as possible.
    package func next(
        _ map: SegmentMap, active: [Active], idle: Int, within horizon: StreamHorizon? = nil, at pace: StreamPace? = nil
    ) -> Work? {
        if let free = map.unfinished.first(where: { segment in !active.contains { $0.segment == segment.id } }),
            horizon?.admits(from: free.position, to: map.end(of: free.id)) ?? true
        {
            return .fetch(segment: free.id)
        }
        guard horizon?.wantsMoreConnections ?? true else { return nil }
        return takeOver(map, active: active, idle: max(1, idle), horizon, pace)
    }

    /// Splits the segment that would finish last, in proportion to the speeds of the old and the new connection.
    private func takeOver(
        _ map: SegmentMap, active: [Active], idle: Int, _ horizon: StreamHorizon?, _ pace: StreamPace?
    ) -> Work? {
        func left(_ id: Int) -> Int64 {
            let remaining = map.remaining(of: id) ?? 0
            return horizon.map { $0.clamp(remaining, from: map.segment(id)?.position ?? 0) } ?? remaining
        }
        // If a segment extends beyond the horizon, the part that is taken over must be a piece that is requested at
        // once.
        func minimum(_ id: Int) -> Int64 {
            guard let horizon, let end = map.end(of: id), end > horizon.end else { return minimumPiece }
            return max(minimumPiece, horizon.piece)
        }
        let known = active.map(\.speed).filter { $0 > 0 }
        let typical = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
        func secondsLeft(_ entry: Active) -> Double {
            Double(left(entry.segment)) / (entry.speed > 0 ? entry.speed : typical)
        }
        let candidates = active.filter { left($0.segment) >= minimumPiece + minimum($0.segment) }
        guard let slowest = candidates.max(by: { secondsLeft($0) < secondsLeft($1) }),
            let segment = map.segment(slowest.segment)
        else { return nil }
        let slowestSpeed = slowest.speed > 0 ? slowest.speed : typical
        let share = typical / (slowestSpeed + Double(idle) * typical)
        let remaining = left(slowest.segment)
        let wanted = Int64(Double(remaining) * share)
        let given = min(max(wanted, minimum(slowest.segment)), remaining - minimumPiece)
        let kept = min(remaining - given, pace?.headStart(of: slowestSpeed) ?? .max)
        let aligned = (segment.position + kept) / alignment * alignment
        guard aligned > segment.position else { return nil }
        let shift = Self.shift(at: aligned, alignment: alignment)
        // If the new part would be too small, the old one is a little smaller than the minimum instead.
        let hasRoom = segment.position + remaining - (aligned + shift) >= minimumPiece
        let offset = hasRoom ? aligned + shift : max(segment.position + 1, aligned - shift)
        return .takeOver(segment: slowest.segment, at: offset)
    }
}
