/// Answers under another entity tag, and servers that misread `If-Range`: see `Consensus`.
extension DownloadMachine {
    /// How the next request for a segment keeps to the known version.
    ///
    /// - Returns: how many bytes before the position are compared first.
    mutating func vouch(for ask: inout RangeAsk, at position: Int64, start: Int64) -> Int64 {
        ask.usesIfRange = consensus.usesIfRange
        guard isJoinedBlindly(at: position) else {
            // Where answers are cut early, less is compared, so that they bring anything new; but never next to nothing.
            return min(Self.overlap, position - start, max(Self.leastOverlap, lastGain / 2))
        }
        guard consensus.serversDisagree, min(map.written(before: position), lastGain / 2) >= Self.overlap else {
            return 0
        }
        ask.takesOtherTag = true
        return Self.overlap
    }

    /// An answer was accepted: which version it says to be of.
    mutating func noteTag(_ facts: ResponseFacts, of plan: FetchPlan) {
        guard let known = plan.ask.known?.validators.strongETag, let tag = facts.validators.strongETag else { return }
        if tag == known { consensus.heardKnown(plan.id) } else { consensus.joinedOther() }
    }

    /// Whether only the tag of an answer speaks against the known version.
    func hasOtherTag(_ facts: ResponseFacts) -> Bool { version?.differsInTag(from: facts.version) ?? false }

    /// An answer under another tag was rejected.
    mutating func heardOtherTag(_ facts: ResponseFacts, of fetch: ActiveFetch, now: Duration) {
        let dates = (version?.validators.lastModified, facts.validators.lastModified)
        let hasOtherDate = if let mine = dates.0, let theirs = dates.1 { mine != theirs } else { false }
        switch consensus.heardOther(fetch.plan.id, next: nextFetch, hasOtherDate: hasOtherDate) {
        case .changed: sourceDiffers(now: now)
        case .askAgain:
            // A new segment has nothing to compare by: where such answers go on, those at work will come to it.
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
    /// Whether size is known and the same, and strong entity tags differ.
    package func differsInTag(from other: KnownVersion) -> Bool {
        guard let total, total == other.total, let mine = validators.strongETag,
            let theirs = other.validators.strongETag
        else { return false }
        return mine != theirs
    }
}
