/// Who may write the later part of a running fetch's segment.
///
/// A source that has answered once in this run may be a link that is good for one request. So the first fetch keeps its whole range, as its
/// answer does, until the answer to another request has come: then its cursor gives up what lies behind, in the instant in which that
/// answer is accepted. Where the other request is refused, nothing has been lost, not even time.
extension DownloadMachine {
    /// Has a running fetch give the part of its segment from `offset` on to another one.
    ///
    /// - Returns: whether that part stands in the map now; else the answer to an effect is waited for, or there is none to give.
    mutating func takeOver(_ segment: Int, at offset: Int64) -> Bool {
        guard let fetch = active.values.first(where: { $0.segment == segment && !$0.plan.isBackup }) else {
            return false
        }
        if fetch.isAccepted, sources[fetch.plan.source].responseCount < 2 { return map.split(segment, at: offset) != nil }
        pendingTakeOver = fetch.plan.id
        effects.append(.network(.takeOver(fetch: fetch.plan.id, segment: segment, at: offset)))
        return false
    }

    /// The running fetch that would come to this offset of another segment, were it not stopped before.
    func original(of offset: Int64) -> Int? {
        active.values.filter { $0.segment != nil && $0.startPosition <= offset && $0.reach > offset }.map(\.plan.id)
            .min()
    }

    /// The answer for what lies behind `offset` has come: a fetch ends there.
    mutating func didYield(_ id: Int, at offset: Int64) {
        guard let fetch = active[id] else { return }
        active[id]?.reach = min(fetch.reach, offset)
    }

    /// A request for the later part of a running fetch's range came to nothing: that fetch goes on with it, unless others have begun.
    ///
    /// Not where the answer leads elsewhere: the request is sent again at once.
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

    /// A fetch has written beyond its segment, because nobody who was to take over has had an answer: it was faster.
    ///
    /// What it has claimed is refused to the others by its cursor; so theirs can't have begun.
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
