/// The last remains of slow and silent connections are fetched a second time, over an idle one; who has them first brings them.
///
/// A backup collects in memory. When it has all bytes up to the segment's end, its sink has the rival's cursor give up what is not claimed,
/// and writes just that: so no byte is written by two, and nothing of a backup that comes too late is written at all.
extension DownloadMachine {
    /// Gives the connection to the source in focus that is idle something to do about the last remains.
    ///
    /// - Returns: whether there may be more to do.
    mutating func coverTail(now: Duration) -> Bool {
        guard let total = map.total, configuration.streamWindow == nil, sources.current.revealsVersions,
            !consensus.serversDisagree, !isHeldBack(now: now)
        else { return false }
        let peers = active.values.filter { $0.isAccepted && now - $0.lastActivity < .milliseconds(300) }
        let speeds = peers.count > 1 ? peers.map(\.meter.speed) : []
        switch tails.next(candidates(now: now), peers: speeds, latency: typicalLatency, total: total) {
        case .backup(let fetch): return startBackup(of: fetch, now: now)
        case .takeOver(let segment, let offset): return takeOver(segment, at: offset)
        case nil: return false
        }
    }

    private var typicalLatency: Duration { active.values.filter(\.isAccepted).map(\.latency).max() ?? .zero }

    /// The fetches whose remains the source in focus may bring as well: bytes that it may join with those before without a look.
    private func candidates(now: Duration) -> [TailPolicy.Candidate] {
        let covered = Set(active.values.filter(\.plan.isBackup).compactMap(\.segment))
        return active.values.sorted { $0.plan.id < $1.plan.id }.compactMap { fetch in
            guard let id = fetch.segment, let segment = map.segment(id), let end = map.end(of: id),
                fetch.reach == end, !covered.contains(id), !fetch.plan.isProof, !fetch.isStalled, !fetch.isSurplus,
                isJoinedBlindly(at: segment.position)
            else { return nil }
            return TailPolicy.Candidate(
                fetch: fetch.plan.id, segment: id, remain: ByteRange(from: segment.position, to: end),
                speed: fetch.meter.speed, silence: now - fetch.lastActivity)
        }
    }

    private mutating func startBackup(of id: Int, now: Duration) -> Bool {
        guard let fetch = active[id], let segment = fetch.segment, let position = map.segment(segment)?.position,
            let end = map.end(of: segment)
        else { return false }
        var ask = RangeRequest(offset: position, end: end, window: configuration.window, known: knownVersion)
        ask.usesIfRange = consensus.usesIfRange
        tails.begin(nextFetch, bytes: end - position)
        send(
            url: currentURL, redirects: [], segment: segment, ask: ask, position: position, now: now,
            hedge: .untilWhole(fetch: id))
        return true
    }

    /// Bytes that came twice because of backups.
    package var repeatedBytes: Int64 { tails.repeatedBytes }

    /// A backup is over: it has won, or it changes nothing.
    mutating func didEndBackup(_ fetch: ActiveFetch, at position: Int64, _ end: FetchEnd, now: Duration) {
        var repeated = position - fetch.startPosition
        if case .won(let offset) = end { repeated = offset - fetch.startPosition }
        tails.end(fetch.plan.id, repeated: repeated, failed: hasFailed(fetch, end))
        if case .won(let offset) = end { didWin(fetch, from: offset, to: position, now: now) }
        switch phase {
        case .draining(let next): if active.isEmpty { didDrain(next, now: now) }
        case .transferring:
            if case .fileFailed(let error) = end { return fail(error, now: now) }
            if case .rejected = end, isRefusal(fetch.decision) { _ = stepBack(now: now, after: nil) }
            proceed(now: now)
        case .idle, .locating, .probing, .preparing, .proving, .reopening, .verifying, .publishing, .closing, .ended:
            return
        }
    }

    /// Whether a backup has had its time and did no good.
    private func hasFailed(_ fetch: ActiveFetch, _ end: FetchEnd) -> Bool {
        switch end {
        case .won, .enough, .fileFailed: false
        case .cancelled: fetch.segment.map { map.remaining(of: $0) != 0 } ?? false
        case .complete, .rejected, .broken, .unreachable, .hopeless, .differs, .undecided: true
        }
    }

    private func isRefusal(_ decision: ResponseDecision?) -> Bool {
        switch decision {
        case .busy, .tryAgain, .denied: true
        case nil, .take, .whole, .changed, .otherVersion, .unproven, .notModified, .askWithoutRange, .rangesBroken,
            .redirect,
            .refuse:
            false
        }
    }

    private mutating func didWin(_ fetch: ActiveFetch, from offset: Int64, to end: Int64, now: Duration) {
        guard let segment = fetch.segment, map.finish(segment, from: offset) else { return }
        let source = fetch.plan.source
        sessionBytes += end - offset
        sources[source].bytes += end - offset
        sources[source].failures = 0
        farthest = max(farthest, map.written)
        sources.ledger.note(fetch: fetch.plan.id, source: source, ByteRange(from: offset, to: end))
        guard case .untilWhole(let hedge)? = fetch.plan.hedge, active[hedge] != nil else { return }
        // It has nothing left to claim; what it claimed, it writes before it says that it has ended.
        active[hedge]?.isSurplus = true
        didYield(hedge, at: offset)
        effects.append(.network(.cancel(hedge)))
    }

    /// Ends backups of what is there already, and those that are silent themselves.
    mutating func dropBackups(now: Duration) {
        guard phase == .transferring else { return }
        let patience = tails.patience(latency: typicalLatency)
        for fetch in active.values.sorted(by: { $0.plan.id < $1.plan.id })
        where fetch.plan.isBackup && !fetch.isSurplus && !fetch.isStalled {
            let isNeeded = fetch.segment.map { map.remaining(of: $0) != 0 } ?? false
            guard !isNeeded || now - fetch.lastActivity >= patience else { continue }
            active[fetch.plan.id]?.isSurplus = true
            effects.append(.network(.cancel(fetch.plan.id)))
        }
    }
}
