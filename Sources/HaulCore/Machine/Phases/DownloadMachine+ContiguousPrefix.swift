/// Files that are hashed during the download, or streamed: they are fetched in order, one portion at a time.
extension DownloadMachine {
    /// True if digests are computed behind the contiguous prefix.
    private var isFollowed: Bool { hashed != nil || configuration.pieces != nil }

    /// After this many responses that came too late, a file is fetched in any order.
    private static let overrunsForgiven = 2

    /// Returns the pace for a file that is hashed during the download; nil if parts may have any size.
    ///
    /// Many small or late requests do harm if servers disagree, or if the link may be signed for a limited time, which
    /// shows in its query. Several sources share a file according to their speed.
    func pace(now: Duration) -> StreamPace? {
        guard isFollowed, configuration.streamWindow == nil, !sources.mayMix, let total = map.total,
            fetches.overruns < Self.overrunsForgiven, !sources[sources.primary].consensus.serversDisagree,
            sources[sources.primary].currentURL.query == nil
        else { return nil }
        return StreamPace(
            total: total, connections: connectionsAllowed(now: now), speed: meter.speed, age: now - startTime,
            roundTrip: lastLatency)
    }

    /// Splits a free segment after the portion that is requested now, if other connections may fetch the rest.
    mutating func cutAhead(_ id: Int, now: Duration) {
        guard let portion = portion(now: now), let segment = map.segment(id), let end = map.end(of: id),
            end - segment.position > portion.bytes + portion.minRest
        else { return }
        _ = map.split(id, at: (segment.position + portion.bytes) / planner.alignment * planner.alignment)
    }

    private func portion(now: Duration) -> (bytes: Int64, minRest: Int64)? {
        guard let horizon else { return pace(now: now).map { ($0.portion, planner.minimumPiece) } }
        return connectionsAllowed(now: now) > 1 ? (horizon.piece, 0) : nil
    }

    /// Reports how far digests and a stream may proceed: at each tick, and as soon as a portion is complete.
    mutating func reportContiguousPrefix() {
        if isFollowed || configuration.streamWindow != nil {
            effects.append(.digest(.contiguousPrefix(map.contiguousPrefix)))
        }
    }
}
