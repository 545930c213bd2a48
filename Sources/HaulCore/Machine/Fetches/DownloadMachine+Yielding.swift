/// Decides which fetch may write the later part of a running fetch's segment.
///
/// A source that has responded only once in this run may be a link that is valid for one request. So the first fetch
/// keeps its whole range, as does its response, until the response to another request arrives. Then its cursor gives up
/// the later part, at the moment at which that response is accepted. If the other request is refused, nothing is lost,
/// not even time.
extension DownloadMachine {
    /// Transfers the part of a running fetch's segment from `offset` on to another fetch.
    ///
    /// - Returns: True if the map has that part now. Otherwise the outcome of an effect is pending, or there is nothing
    ///   to transfer.
    mutating func takeOver(_ segment: Int, at offset: Int64) -> Bool {
        guard let fetch = active.values.first(where: { $0.segment == segment && !$0.plan.isBackup }) else {
            return false
        }
        if fetch.isAccepted, sources[fetch.plan.source].responseCount < 2 {
            return map.split(segment, at: offset) != nil
        }
        pendingTakeOver = fetch.plan.id
        effects.append(.network(.takeOver(fetch: fetch.plan.id, segment: segment, at: offset)))
        return false
    }

    /// Returns the running fetch that would reach this offset of another segment if it were not stopped before.
    func original(of offset: Int64) -> Int? {
        active.values.filter { $0.segment != nil && $0.startPosition <= offset && $0.reach > offset }.map(\.plan.id)
            .min()
    }

    /// Ends a fetch at `offset`, because the response for the part after it has arrived.
    mutating func didYield(_ id: Int, at offset: Int64) {
        guard let fetch = active[id] else { return }
        active[id]?.reach = min(fetch.reach, offset)
    }

    /// Returns the later part of a running fetch's range to it after the request for that part failed, unless other
    /// fetches have begun it.
    ///
    /// A redirect is excluded: the request is sent again at once.
    mutating func reclaim(whatWasFor lost: ActiveFetch) {
        guard phase == .transferring, !lost.isAccepted, case .untilResponse(let id)? = lost.plan.hedge,
            let fetch = active[id], let segment = fetch.segment
        else { return }
        if case .redirect? = lost.decision { return }
        while let next = map.next(after: segment), next.start < fetch.reach,
            !active.values.contains(where: { $0.segment == next.id }), map.absorb(after: segment) != nil
        {}
        map.advance(segment, to: fetch.position)
    }

    /// Handles a fetch that has written beyond its segment because the fetch that was to take over has no response yet:
    /// it was faster.
    ///
    /// Its cursor denies the claimed bytes to the others, so their writes cannot have begun.
    mutating func revertOverrun(of fetch: ActiveFetch) {
        guard let segment = fetch.segment else { return }
        while let end = map.end(of: segment), fetch.position > end, let lost = map.absorb(after: segment) {
            overruns += 1
            for id in active.keys.sorted() where active[id]?.segment == lost {
                active[id]?.segment = nil
                active[id]?.isSurplus = true
                effects.append(.network(.cancel(id)))
            }
        }
        map.advance(segment, to: fetch.position)
    }
}
