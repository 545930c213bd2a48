/// Answers of other versions and of none, and servers that misread `If-Range`: see `Consensus`.
extension DownloadMachine {
    /// Prepares the next request for a segment so that its answer can be proved to be of the known version.
    ///
    /// - Returns: The number of bytes before the position that are compared first.
    mutating func vouch(for ask: inout RangeRequest, at position: Int64) -> Int64 {
        ask.usesIfRange = consensus.usesIfRange
        ask.takesUnproven = isVouchedForElsewhere
        if isJoinedBlindly(at: position) { return 0 }
        // If answers are cut early, less is compared, so that they bring anything new; but never next to nothing.
        let compared = min(
            sources.current.overlap, map.written(before: position), max(Self.minOverlap, lastGain / 2))
        let isFirst = map.written == 0 && !active.values.contains(where: \.isAccepted)
        if compared > 0 || isFirst { ask.takesUnproven = true }
        return compared
    }

    /// Whether something else than the next answer's validators and first bytes shows that its source has the right file: a checksum
    /// at the end, or a comparison just before.
    ///
    /// If the source tells versions, an answer that tells none is not taken: a checksum would only find out at the very end.
    private var isVouchedForElsewhere: Bool {
        !sources.current.revealsVersions
            && (configuration.isVouchedFor || !sources.isSingle && sources.current.isTrusted)
    }

    /// An answer was rejected because it does not show of which version it is, although the first one did.
    ///
    /// From now on the source's answers are compared with the bytes that are there. Only bytes that touch can be compared: what was
    /// fetched further back does not count any more.
    mutating func partIsUnproven(
        _ fetch: ActiveFetch, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        if stepBack(now: now, after: nil, informsHost: false) { return }
        guard sources.isSingle, sources.current.provesParts, active.isEmpty else {
            return rangeMissed(fetch, now: now, using: &generator)
        }
        sources.current.provesParts = false
        guard map.written > map.contiguousPrefix else { return tryAgain(now: now) }
        guard configuration.streamWindow == nil else { return rangeMissed(fetch, now: now, using: &generator) }
        map = SegmentMap(total: map.total ?? 0, resuming: [(0, map.contiguousPrefix)])
        farthest = map.written
        phase = .reopening
        effects.append(.content(.revert(map)))
    }

    /// An answer was accepted, so the known version is still served.
    mutating func noteAcceptance(of plan: FetchPlan) { consensus.receivedKnown(plan.id) }

    /// Whether an answer has the size of the known version.
    func hasSameSize(_ facts: ResponseFacts) -> Bool { version?.hasSameSize(as: facts) ?? false }

    /// An answer of another version was rejected.
    mutating func receivedOtherVersion(_ facts: ResponseFacts, of fetch: ActiveFetch, now: Duration) {
        // Nobody will be asked any more.
        if map.isComplete { return sourceDiffers(now: now) }
        let dates = (version?.validators.lastModified, facts.validators.lastModified)
        let hasOtherDate = if let mine = dates.0, let theirs = dates.1 { mine != theirs } else { false }
        switch consensus.receivedOther(fetch.plan.id, next: nextFetch, hasOtherDate: hasOtherDate) {
        case .changed: sourceDiffers(now: now)
        case .askAgain:
            // If such answers continue, the fetches at work will come to this segment.
            if consensus.serversDisagree, consensus.others % 4 == 3, stepBack(now: now, after: nil) { return }
            tryAgain(now: now)
        }
    }

    /// The whole of the known version came although `If-Range` held (RFC 9110, 13.1.5): the same once more, without it.
    mutating func ifRangeWasMisread(_ fetch: ActiveFetch, now: Duration) {
        consensus.ifRangeWasMisread()
        oddAnswers.insert(fetch.startPosition)
        tryAgain(now: now)
    }
}

extension KnownVersion {
    /// Whether the size is known and is that of an answer, too.
    package func hasSameSize(as facts: ResponseFacts) -> Bool { total != nil && total == facts.total }
}
