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
        guard let fetch = fetches.all.first(where: { $0.segment == segment && !$0.plan.isBackup }) else {
            return false
        }
        if fetch.isAccepted, sources[fetch.plan.source].responseCount < 2 {
            return map.split(segment, at: offset) != nil
        }
        fetches.beginTakeOver(of: fetch.id)
        effects.append(.network(.takeOver(fetch: fetch.plan.id, segment: segment, at: offset)))
        return false
    }

    /// Returns the later part of a running fetch's range to it after the request for that part failed, unless other
    /// fetches have begun it.
    ///
    /// A redirect is excluded: the request is sent again at once.
    mutating func reclaim(whatWasFor lost: ActiveFetch) {
        guard phase == .transferring, !lost.isAccepted, case .untilResponse(let id)? = lost.plan.hedge,
            let fetch = fetches[id], let segment = fetch.segment
        else { return }
        if case .redirect? = lost.decision { return }
        while let next = map.next(after: segment), next.start < fetch.reach,
            !fetches.fills(next.id), map.absorb(after: segment) != nil
        {}
        map.advance(segment, to: fetch.position)
    }

    /// Handles a fetch that has written beyond its segment because the fetch that was to take over has no response yet:
    /// it was faster.
    ///
    /// Its cursor denies the claimed bytes to the others, so their writes cannot have begun.
    mutating func revertOverrun(of id: Int) {
        guard let fetch = fetches[id], let segment = fetch.segment else { return }
        while let end = map.end(of: segment), fetch.position > end, let lost = map.absorb(after: segment) {
            for id in fetches.overrun(lost) { cancel(id, as: .surplus) }
        }
        map.advance(segment, to: fetch.position)
    }
}
