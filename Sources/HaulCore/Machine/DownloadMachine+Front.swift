/// A file that digests follow, or that is handed on: it is fetched in order, a portion at a time.
extension DownloadMachine {
    /// Whether digests are computed behind the front.
    private var isFollowed: Bool { hashed != nil || configuration.pieces != nil }

    /// The pace of a file that digests follow; nil where the parts may be as large as they come.
    func pace(now: Duration) -> FrontPace? {
        guard isFollowed, configuration.streamWindow == nil, let total = map.total else { return nil }
        let connections = sources.isSingle ? connectionsAllowed(now: now) : configuration.connections.maximum
        let roundTrip = active.values.filter(\.isAccepted).map(\.latency).min()
        return FrontPace(total: total, connections: connections, roundTrip: roundTrip ?? .zero)
    }

    /// Cuts the rest of a free segment behind what is asked for now, where others may fetch the rest.
    mutating func cutAhead(_ id: Int, now: Duration) {
        guard let portion = portion(now: now), let segment = map.segment(id), let end = map.end(of: id),
            end - segment.position > portion
        else { return }
        _ = map.split(id, at: (segment.position + portion) / planner.alignment * planner.alignment)
    }

    private func portion(now: Duration) -> Int64? {
        guard let horizon else { return pace(now: now)?.portion }
        return connectionsAllowed(now: now) > 1 ? horizon.piece : nil
    }

    /// Tells digests how far they may go, as soon as a portion has come.
    mutating func tellFront() {
        if isFollowed { effects.append(.front(map.front)) }
    }
}
