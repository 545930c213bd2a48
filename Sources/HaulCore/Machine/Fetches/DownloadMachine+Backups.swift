/// Hedged requests: an idle connection fetches the last bytes of a slow or silent connection a second time, and the
/// faster one is used.
///
/// A backup collects its bytes in memory. Once it has everything up to the end of the segment, its sink makes the other
/// fetch's cursor release the bytes not yet claimed, and writes exactly those. So no byte is written twice, and a
/// backup that finishes too late writes nothing.
///
/// The response that it continues may have lost a part, which is why it is silent: the bytes before the backup are
/// requested again, too, and compared.
extension DownloadMachine {
    /// Starts a backup or a take-over for the last bytes, over an idle connection to a source.
    ///
    /// - Returns: True if there may be more to start.
    mutating func coverTail(from source: SourceID, now: Duration) -> Bool {
        guard let total = map.total, configuration.streamWindow == nil, sources[source].revealsVersions,
            !sources[source].consensus.serversDisagree, !fetches.isHeldBack
        else { return false }
        let peers = fetches.accepted.filter { now - $0.lastActivity < .milliseconds(300) }
        let speeds = peers.count > 1 ? peers.map(\.meter.speed) : []
        switch tails.next(candidates(for: source, now: now), peers: speeds, latency: typicalLatency, total: total) {
        case .backup(let fetch): return startBackup(of: fetch, from: source, now: now)
        case .takeOver(let segment, let offset): return takeOver(segment, at: offset)
        case nil: return false
        }
    }

    private var typicalLatency: Duration { fetches.accepted.map(\.latency).max() ?? .zero }

    /// Returns the fetches whose remaining bytes the source may transfer as well, because it may join them
    /// without comparison.
    private func candidates(for source: SourceID, now: Duration) -> [TailPolicy.Candidate] {
        let backedUp = fetches.backedUp
        return fetches.all.compactMap { fetch in
            guard let id = fetch.segment, let segment = map.segment(id), let end = map.end(of: id),
                fetch.reach == end, !backedUp.contains(id), !fetch.plan.isProof, fetch.cancellation == nil,
                // A request that still has to compare the bytes before it compares more of them than a backup may.
                fetch.gained > 0 || fetch.plan.ask.offset == fetch.startPosition,
                isJoinedBlindly(at: segment.position, from: source)
            else { return nil }
            return TailPolicy.Candidate(
                fetch: fetch.plan.id, segment: id, remain: ByteRange(from: segment.position, to: end),
                speed: fetch.meter.speed, silence: now - fetch.lastActivity)
        }
    }

    private mutating func startBackup(of id: Int, from source: SourceID, now: Duration) -> Bool {
        guard let fetch = fetches[id], let segment = fetch.segment, let position = map.segment(segment)?.position,
            let end = map.end(of: segment)
        else { return false }
        let budget = tails.left(total: map.total ?? 0) - (end - position)
        let compared = min(sources[source].overlap, map.written(before: position), max(Self.minOverlap, budget))
        var ask = RangeRequest(
            offset: position - compared, end: end, window: configuration.window, known: knownVersion(of: source))
        ask.usesIfRange = sources[source].consensus.usesIfRange
        tails.begin(fetches.nextID, bytes: end - ask.offset)
        send(
            source: source, url: sources[source].currentURL, segment: segment, ask: ask, position: position, now: now,
            hedge: .untilWhole(fetch: id))
        return true
    }

    /// The number of bytes received twice because of backups.
    package var repeatedBytes: Int64 { tails.repeatedBytes }

    /// Handles the end of a backup, which either won or changes nothing, unless the bytes before it differ.
    ///
    /// - Parameter position: The end of its bytes, which begin with those that are compared.
    mutating func didEndBackup(_ fetch: ActiveFetch, at position: Int64, _ end: FetchEnd, now: Duration) {
        var repeated = position - fetch.plan.ask.offset
        if case .won(let offset) = end { repeated = offset - fetch.plan.ask.offset }
        tails.end(fetch.plan.id, repeated: repeated, failed: hasFailed(fetch, end))
        if case .won(let offset) = end { didWin(fetch, from: offset, to: position, now: now) }
        if case .draining(let next) = phase, fetches.isEmpty { return didDrain(next, now: now) }
        guard phase == .transferring else { return }
        if case .fileFailed(let error) = end { return fail(error, now: now) }
        if case .differs = end, case .untilWhole(let original)? = fetch.plan.hedge {
            // The request for the rest compares them again, and decides.
            if let position = fetch.segment.flatMap({ map.segment($0)?.position }) { brokenEnds.insert(position) }
            cancel(original, as: .surplus)
        }
        if case .rejected = end, isRefusal(fetch.decision) {
            _ = stepBack(fetch.source, now: now, after: fetch.decision?.wait)
        }
        proceed(now: now)
    }

    /// Returns true if a backup had enough time and was of no use.
    private func hasFailed(_ fetch: ActiveFetch, _ end: FetchEnd) -> Bool {
        switch end {
        case .won, .enough, .fileFailed: false
        case .cancelled: fetch.segment.map { map.remaining(of: $0) != 0 } ?? false
        case .complete, .rejected, .broken, .unreachable, .hopeless, .differs, .longer, .undecided: true
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
        let source = fetch.source
        sessionBytes += end - offset
        sources[source].bytes += end - offset
        sources[source].failures = 0
        farthest = max(farthest, map.written)
        sources.ledger.note(fetch: fetch.plan.id, source: source, ByteRange(from: offset, to: end))
        guard case .untilWhole(let hedge)? = fetch.plan.hedge, fetches[hedge] != nil else { return }
        // The other fetch has nothing left to claim. It writes what it has claimed before it reports its end.
        fetches.yield(hedge, at: offset)
        cancel(hedge, as: .surplus)
    }

    /// Cancels backups whose bytes have arrived, and backups that are silent themselves.
    mutating func dropBackups(now: Duration) {
        guard phase == .transferring else { return }
        let patience = tails.patience(latency: typicalLatency)
        for fetch in fetches.all where fetch.plan.isBackup && fetch.cancellation == nil {
            let isNeeded = fetch.segment.map { map.remaining(of: $0) != 0 } ?? false
            guard !isNeeded || now - fetch.lastActivity >= patience else { continue }
            cancel(fetch.id, as: .surplus)
        }
    }
}
