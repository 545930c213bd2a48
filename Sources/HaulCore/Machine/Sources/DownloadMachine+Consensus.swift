/// Responses of another or an unknown version, and servers that misinterpret `If-Range`: see `Consensus`.
extension DownloadMachine {
    /// Prepares the next request for a segment so that its response can be proved to be of the known version.
    ///
    /// - Returns: The number of bytes before the position that are compared first.
    func vouch(for ask: inout RangeRequest, to source: SourceID, at position: Int64) -> Int64 {
        ask.usesIfRange = sources[source].consensus.usesIfRange
        ask.takesUnproven = isVouchedForElsewhere(source)
        // If responses are cut short, less is compared, so that they still add new bytes; but never less than a
        // minimum.
        let wanted = isLastByte(position) ? Self.minOverlap : sources[source].overlap
        let compared = min(wanted, map.written(before: position), max(Self.minOverlap, lastGain / 2))
        if isJoinedBlindly(at: position, from: source) { return isJoinDoubtful(at: position) ? compared : 0 }
        let isFirst = map.written == 0 && fetches.accepted.isEmpty
        if (compared > 0 || isFirst) && !sources[source].consensus.isInDoubt { ask.takesUnproven = true }
        return compared
    }

    /// Returns true if only the last byte of a segment is missing: see `withDoubtfulJoins`.
    private func isLastByte(_ position: Int64) -> Bool {
        position + 1 != map.total
            && map.segments.contains { $0.position == position && map.end(of: $0.id) == position + 1 }
    }

    /// Returns true if the bytes before a position are compared even with the same strong ETag.
    ///
    /// Bytes of an earlier run may come from another file with that tag, if the URL is redirected: nginx makes it from
    /// size and date. The end of a response that broke may be wrong: a proxy that lost a part of it may have sent the
    /// rest too early.
    ///
    /// A checksum is enough only if the journal says that nothing else can verify the bytes: otherwise a later run resumes
    /// them without it.
    private func isJoinDoubtful(at position: Int64) -> Bool {
        !hasToBeVouchedFor
            && (brokenEnds.contains(position) || sources.ledger.contributor(before: position) == nil)
    }

    /// True if a checksum or pieces verify the file at the end, and the journal says that nothing else can.
    var hasToBeVouchedFor: Bool { configuration.isVouchedFor && (sources.mayMix || continuesUnproven) }

    /// Returns true if a source is proved to have the right file by other means than the next response's validators and first
    /// bytes: a checksum at the end, or a comparison just before.
    ///
    /// If the source sends validators, a response without any is not accepted: the checksum would reveal a mismatch
    /// only at the very end.
    private func isVouchedForElsewhere(_ source: SourceID) -> Bool {
        !sources[source].revealsVersions
            && (configuration.isVouchedFor || sources.mayMix && sources[source].isTrusted)
    }

    /// Handles a response that was rejected because it does not identify its version, although the first response did.
    ///
    /// From now on the source's responses are compared with the existing bytes. Only adjacent bytes can be compared, so
    /// everything beyond the contiguous prefix is dropped.
    mutating func partIsUnproven(
        _ fetch: ActiveFetch, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        if sources[fetch.source].consensus.isInDoubt { return doubt(fetch, hasOtherDate: false, now: now) }
        if stepBack(fetch.source, now: now, after: nil, informsHost: false) { return }
        guard !sources.mayMix, sources[fetch.source].provesParts else {
            return rangeMissed(fetch, now: now, using: &generator)
        }
        guard fetches.isEmpty else {
            // Their responses are still to come, and one of them may continue the existing bytes, with which it is
            // compared.
            sources[governorOf: fetch.source].refused(active: fetches.count, now: now, retryAfter: nil)
            return
        }
        sources[fetch.source].provesParts = false
        guard map.written > map.contiguousPrefix else { return tryAgain(now: now) }
        guard configuration.streamWindow == nil else { return rangeMissed(fetch, now: now, using: &generator) }
        map = SegmentMap(total: map.total ?? 0, resuming: [(0, map.contiguousPrefix)])
        farthest = map.written
        phase = .reopening
        effects.append(.content(.revert(map)))
    }

    /// Records that a response was accepted, so the known version is still served.
    mutating func noteAcceptance(of plan: FetchPlan) { sources[plan.source].consensus.receivedKnown(plan.id) }

    /// Returns true if a response has the size of the version that its source is known to serve.
    func hasSameSize(_ facts: ResponseFacts, from source: SourceID) -> Bool {
        sources[source].version?.hasSameSize(as: facts) ?? false
    }

    /// Handles a response of another version that was rejected.
    mutating func receivedOtherVersion(_ facts: ResponseFacts, of fetch: ActiveFetch, now: Duration) {
        let source = fetch.source
        // No further request will be sent.
        if map.isComplete { return sourceDiffers(source, now: now) }
        let dates = (sources[source].version?.validators.lastModified, facts.validators.lastModified)
        let hasOtherDate = if let mine = dates.0, let theirs = dates.1 { mine != theirs } else { false }
        doubt(fetch, hasOtherDate: hasOtherDate, now: now)
    }

    /// Requests a segment again after a response that may be of another version, or starts over if the file has changed.
    private mutating func doubt(_ fetch: ActiveFetch, hasOtherDate: Bool, now: Duration) {
        let source = fetch.source
        switch sources[source].consensus.receivedOther(fetch.plan.id, next: fetches.nextID, hasOtherDate: hasOtherDate)
        {
        case .changed: sourceDiffers(source, now: now)
        case .askAgain:
            // If such responses continue, the running fetches will reach this segment.
            let consensus = sources[source].consensus
            if consensus.serversDisagree, consensus.others % 4 == 3, stepBack(source, now: now, after: nil) { return }
            tryAgain(now: now)
        }
    }

    /// Handles a response with the whole of the known version although `If-Range` matched (RFC 9110, 13.1.5): repeats
    /// the request without it.
    mutating func ifRangeWasMisread(_ fetch: ActiveFetch, now: Duration) {
        sources[fetch.source].consensus.ifRangeWasMisread()
        askOnceMore(fetch, now: now)
    }

    /// Requests a range again whose response was odd; the next odd one for it has consequences.
    mutating func askOnceMore(_ fetch: ActiveFetch, now: Duration) {
        sources[fetch.source].oddAnswers.insert(fetch.startPosition)
        tryAgain(now: now)
    }
}

extension KnownVersion {
    /// Returns true if the size is known and equals that of a response.
    package func hasSameSize(as facts: ResponseFacts) -> Bool { total != nil && total == facts.total }
}
