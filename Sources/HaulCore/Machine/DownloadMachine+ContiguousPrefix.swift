/// A file that digests follow, or that is handed on: it is fetched in order, a portion at a time.
extension DownloadMachine {
    /// Whether digests are computed behind the front.
    private var isFollowed: Bool { hashed != nil || configuration.pieces != nil }

    /// After so many answers that came too late a file is fetched in any order.
    private static let overrunsForgiven = 2

    /// The pace of a file that digests follow; nil where the parts may be as large as they come.
    ///
    /// Many requests, and late ones, are no good where servers disagree, or where a link may be signed for a time: that stands in its query.
    /// Several sources share a file by what each of them can.
    func pace(now: Duration) -> StreamPace? {
        guard isFollowed, configuration.streamWindow == nil, sources.isSingle, let total = map.total,
            overruns < Self.overrunsForgiven, !consensus.serversDisagree, currentURL.query == nil
        else { return nil }
        return StreamPace(
            total: total, connections: connectionsAllowed(now: now), speed: meter.speed, age: now - startTime,
            roundTrip: lastLatency)
    }

    /// Cuts the rest of a free segment behind what is asked for now, where others may fetch the rest.
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

    /// Tells digests and a stream how far they may go: with each tick, and as soon as a portion has come.
    mutating func reportContiguousPrefix() {
        if isFollowed || configuration.streamWindow != nil { effects.append(.digest(.contiguousPrefix(map.contiguousPrefix))) }
    }
}
