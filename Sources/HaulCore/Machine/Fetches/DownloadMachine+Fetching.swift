extension DownloadMachine {
    /// The number of bytes before a join that are compared if no strong validator identifies the version.
    static let overlap: Int64 = 64 << 10
    /// The minimum of that number, however short a server's responses are: a server whose responses are all shorter is
    /// given up.
    static let minOverlap: Int64 = 4 << 10

    /// Sends a request for the rest of a segment, or the very first request.
    mutating func startFetch(segment id: Int?, from source: SourceID, now: Duration) {
        guard let id, let segment = map.segment(id) else {
            // A plain request, like a browser's. `Range: bytes=0-` would return the same bytes, but caches do not store
            // partial responses, and some servers fail.
            let usesRanges = sources[source].usesRanges
            let needsRange = configuration.window != nil || !sources[source].currentURL.isWeb
            let wantsFacts = usesRanges && (unmeasured != nil || firstRequest == .facts)
            var ask = RangeRequest(
                offset: 0, end: wantsFacts ? 1 : nil, usesRange: usesRanges && (needsRange || wantsFacts),
                window: configuration.window)
            if case .ifModified(let time) = firstRequest { ask.ifModifiedSince = time }
            ask.takesCreated = !configuration.form.isGet
            send(
                source: source, url: sources[source].currentURL, segment: nil, ask: ask, position: 0, now: now,
                form: configuration.form)
            return
        }
        var ask = RangeRequest(
            offset: segment.position, end: map.end(of: id), usesRange: sources[source].usesRanges,
            window: configuration.window, known: knownVersion(of: source))
        if resumesWhole, map.segments.count == 1, segment.position > 0 {
            ask.offset = 0
            ask.takesUnproven = !sources[source].revealsVersions
        } else {
            ask.offset -= vouch(for: &ask, to: source, at: segment.position)
        }
        send(
            source: source, url: sources[source].currentURL, segment: id, ask: ask, position: segment.position,
            now: now,
            hedge: fetches.hedge(of: segment.position).map { .untilResponse(fetch: $0) })
    }

    /// The offset at which a file of unknown size ends at the latest, because no more of it is wanted.
    var limit: Int64? {
        // One byte more than expected, so that a file that is too long is noticed.
        let expected = configuration.expectedBytes.map { $0 < .max ? $0 + 1 : $0 }
        let wanted = configuration.window.flatMap { $0.limit == .max ? nil : $0.limit }
        return [expected, wanted].compactMap(\.self).min()
    }

    /// Sends the request of a fetch again, to the target of a redirect.
    mutating func follow(
        _ location: String, status: Int, newCookies: Bool, of fetch: ActiveFetch, now: Duration
    ) {
        let plan = fetch.plan
        let form = plan.form.following(status)
        // The same URL may be requested again by another method.
        let settled = newCookies || form != plan.form ? plan.redirects.count + 1 : plan.settledRedirects
        do throws(DownloadError) {
            let target = try configuration.redirects.next(
                location, from: plan.url, after: plan.redirects, settled: settled)
            let position = fetch.segment.flatMap { map.segment($0)?.position } ?? plan.position
            send(
                source: plan.source, url: target, redirects: plan.redirects + [plan.url], segment: fetch.segment,
                ask: plan.ask, position: position, now: now, proofEnd: plan.isProof ? plan.end : nil, settled: settled,
                hedge: plan.hedge, form: form, hopWithoutTLS: plan.hopWithoutTLS)
        } catch {
            sourceFails(plan.source, error, now: now)
        }
    }

    mutating func send(
        source: SourceID, url: SourceURL, redirects: [SourceURL] = [], segment: Int?, ask: RangeRequest,
        position: Int64, now: Duration, proofEnd: Int64? = nil, settled: Int = 0, hedge: Hedge? = nil,
        form: RequestForm = RequestForm(), hopWithoutTLS: SourceURL? = nil
    ) {
        var plan = FetchPlan(
            id: fetches.nextID, url: url, redirects: redirects, settledRedirects: settled, ask: ask, segment: segment,
            position: position, end: proofEnd ?? segment.flatMap { map.end(of: $0) }, isProof: proofEnd != nil,
            source: source, hedge: hedge)
        plan.form = form
        plan.hopWithoutTLS = redirects.isEmpty ? sources[source].hopWithoutTLS : hopWithoutTLS
        if !form.isGet { mayBeCarriedOut = true }
        plan.provesOffset = !sources[source].provesOffsets && ask.usesRange && ask.offset > 0
        plan.replaces = segment == nil && former?.count ?? 0 > 0
        fetches.begin(plan, now: now)
        effects.append(.network(.fetch(plan)))
    }

    /// Cancels a fetch for a reason that decides what its end means.
    mutating func cancel(_ id: Int, as reason: ActiveFetch.Cancellation) {
        fetches.cancel(id, as: reason)
        effects.append(.network(.cancel(id)))
    }

    /// Assigns work to idle connections, and detects that the file is complete.
    mutating func proceed(now: Duration) {
        guard phase == .transferring else { return }
        if map.isComplete { return didFill(now: now) }
        startSeveral(now: now)
        sources.mayMix ? proceedAmongSources(now: now) : proceed(with: sources.primary, now: now)
    }

    /// Assigns the work to connections of a lone source, which may be a stream or be hashed on the way.
    private mutating func proceed(with source: SourceID, now: Duration) {
        sources.hosts[0].wantsMoreConnections = false
        guard now >= sources[source].notBefore, !fetches.isTakingOver else { return }
        let allowed = connectionsAllowed(now: now)
        if fetches.isEmpty, !hasTargetPath(at: source, now: now) || !mayRequest(now: now) { return }
        while fetches.count < allowed {
            let idle = allowed - fetches.count
            switch planner.next(map, active: working, idle: idle, within: horizon, at: pace(now: now)) {
            case .fetch(let segment):
                if lacksProof(for: segment, at: source) { return proveOffset(of: source, now: now) }
                cutAhead(segment, now: now)
                startFetch(segment: segment, from: source, now: now)
            case .takeOver(let segment, let offset):
                guard takeOver(segment, at: offset) else { return }
            case nil: guard coverTail(from: source, now: now) else { return }
            }
        }
        sources.hosts[0].wantsMoreConnections = wantsMoreConnections(allowed, now: now)
    }

    /// Returns the number of connections that a lone source may have: those that are useful, within the host's quota.
    func connectionsAllowed(now: Duration) -> Int {
        min(connectionsUseful(now: now), sources.quota(of: sources.primary).connections)
    }

    /// Returns the number of useful connections to a lone source.
    ///
    /// More than one requires a way to distinguish versions: a strong validator, or a checksum at the end. For a stream
    /// the checksum comes too late.
    func connectionsUseful(now: Duration) -> Int {
        let source = sources[sources.primary]
        guard map.total != nil, source.version != nil, source.provesOffsets || configuration.streamWindow == nil,
            source.revealsVersions || isVouchedFromStart && configuration.streamWindow == nil
        else { return 1 }
        return min(sources[governorOf: sources.primary].allowed(now: now), source.maxConnections)
    }

    /// True if a checksum allows a source to add bytes of unproved origin, and the journal records that.
    ///
    /// It is false if the source sent validators at first.
    private var isVouchedFromStart: Bool {
        configuration.isVouchedFor
            && (sources.mayMix || sources[sources.primary].version?.validators.areStrong != true)
    }

    mutating func didTakeOver(_ fetch: Int, _ segment: Int, at offset: Int64, granted: Bool, now: Duration) {
        guard fetches.endTakeOver(of: fetch) else { return }
        guard granted, phase == .transferring, map.split(segment, at: offset) != nil else { return }
        fetches.takeOver(fetch, at: offset)
        proceed(now: now)
    }

    mutating func didReceiveHead(_ id: Int, _ decision: ResponseDecision, now: Duration) {
        guard let fetch = fetches.receiveHead(id, now: now) else { return }
        let source = fetch.source
        sources[source].hasReceived = true
        if let facts = decision.facts { seen[source].add(facts.validators, total: facts.total) }
        guard case .take(var facts) = decision else {
            return fetches.decide(id, .rejected(decision))
        }
        if phase == .probing { facts.total = seen[source].total(of: facts) }
        if phase == .probing, let problem = objection(to: facts) {
            // The response's bytes wait for a file that is never opened.
            fetches.decide(id, .rejected(.refuse(problem)))
            effects.append(.network(.cancel(id)))
            return
        }
        if phase == .transferring, mayBeOtherVersion(facts, from: source) {
            fetches.decide(id, .rejected(decision))
            return giveUp(source, Self.isUnconfirmed, .unconfirmed, now: now)
        }
        if phase == .transferring, sources.mayBeOfOtherVersion(source, facts.validators) {
            fetches.decide(id, .rejected(decision))
            return giveUp(source, Self.hasOtherFile, .disagreement, now: now)
        }
        sources.confirm(by: source)
        fetches.decide(id, .accepted)
        lastLatency = fetch.latency
        sources.hosts[sources[source].hostNumber].oddRefusals = 0
        sources[source].responseCount += 1
        if sources[source].link == .expiring { sources[source].link = .good }
        if fetch.plan.isBackup { return }
        if case .untilResponse(let hedge)? = fetch.plan.hedge { fetches.yield(hedge, at: fetch.plan.position) }
        if source == sources.primary { readDigest(facts, from: source, at: fetch.plan.url) }
        phase == .probing ? addMirrors(facts, of: fetch.plan) : describeResumed(facts, of: fetch.plan)
        learn(facts, of: fetch)
        if let total = facts.resourceTotal, sources[source].version?.resourceTotal == nil {
            sources[source].version?.resourceTotal = total
        }
        let isFirstRange = facts.servesRanges && !sources[source].hasServedRange
        sources[source].learn(facts.ranges)
        if source == sources.primary { modified = facts.modified ?? modified }
        noteAcceptance(of: fetch.plan)
        // Another method is sent again to the URL that was given.
        if !fetch.plan.redirects.isEmpty, configuration.form.isGet { sources[source].move(to: fetch.plan) }
        if case .proving(let proof) = phase { didReceive(facts, toProve: proof, now: now) }
        if phase == .transferring, isFirstRange { proceed(now: now) }
        if phase == .probing { (beginsAsPage, beginsAsText) = (facts.isWebPage, facts.isText) }
        // If bytes are compared first, the download is announced with the first new byte.
        if phase == .transferring, !fetch.plan.isProof,
            fetch.plan.ask.offset == fetch.plan.position || fetch.plan.comparesWhole
        {
            announce()
        }
        guard phase == .probing, !continueMeasured(facts, now: now) else { return }
        phase = .preparing(MachinePhase.Preparing(id, facts))
        effects.append(.content(.prepare(forJournal(facts))))
    }

    mutating func didPrepare(
        _ located: Located, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        guard case .preparing(let preparing) = phase else { return }
        let facts = preparing.facts
        switch located {
        case .unnamed, .present, .published: fail(DownloadError(.internal, "the file has no name"), now: now)
        case .kept(let path, let size, let isSame): drain(.keep(path: path, size: size, isSame: isSame), now: now)
        case .resumable(let path, let known, let pieces):
            self.path = path
            keepsBytes = true
            resumeOrBegin(known, pieces, facts, now: now)
        case .provable(_, let known, _) where needsDigest(known) && wanted == nil:
            fail(Self.lacksDigestOfOther, now: now)
        case .provable(let path, let known, let pieces):
            self.path = path
            drain(.prove(known, pieces, .otherSource, seen: facts.validators), now: now)
        case .adoptable(let path, _, _, []):
            // Nothing of it is complete, so there is nothing to prove.
            self.path = path
            adopted = AdoptedFile(isWhole: false)
            sources[sources.primary].version = facts.version
            drain(.resume([]), now: now)
        case .adoptable(let path, let file, let known, let pieces):
            self.path = path
            drain(.prove(known, pieces, .otherProgram(file), seen: facts.validators), now: now)
        case .fresh(let path):
            self.path = path
            // The new bytes take the place of all that was there.
            (former, adopted) = (nil, nil)
            keepsBytes = configuration.keepsBytes(of: facts)
            firstRequest = .file
            sources[sources.primary].version = facts.version
            sources.definer = sources.primary
            modified = facts.modified
            map = SegmentMap(total: facts.total)
            phase = .transferring
            useDescription()
            announce()
            attach(preparing, now: now, using: &generator)
        }
    }

    /// Resumes from a partial file that was found under the name given by the server, if it is of the same version.
    private mutating func resumeOrBegin(
        _ known: KnownVersion, _ pieces: [Located.Piece], _ facts: ResponseFacts, now: Duration
    ) {
        var facts = facts
        seen[sources.primary].addExisting(known, pieces)
        facts.total = seen[sources.primary].total(of: facts)
        // As for a partial file that is found before the first request: an error page must not replace it.
        former = FormerBytes(known, pieces)
        // If the size was unknown, only a range request can reveal it: this response ends, and a request for the first
        // byte follows.
        let isUnmeasured = known.total == nil
        let isOther =
            !isUnmeasured && known.total != facts.total
            || known.validators.agreement(with: facts.validators) == .different
            || !isDescribed(known) && !configuration.isVouchedFor && !known.validators.vouch(for: facts.validators)
        let replaced = known.beginsLikePage ? nil : FormerBytes(known, pieces)
        if isOther, let replaced, let problem = objection(to: facts, replacing: replaced) {
            return fail(problem, now: now)
        }
        let isUnproven = needsDigest(known) && wanted == nil
        if isUnproven, mayBeDescribed, !isOther, !isUnmeasured, facts.ranges != .refused {
            sources[sources.primary].version = known
            return drain(.describe(pieces), now: now)
        }
        if isOther || isUnproven || facts.ranges == .refused || isUnmeasured && measurer(of: known) == nil {
            effects.append(
                .emit(.notice(isOther ? .sourceChanged : isUnproven ? Self.lacksDigest : .rangesIgnored)))
            if !isOther, !isUnproven, facts.ranges == .refused {
                sources[sources.primary].usesRanges = false
                if let next = continuation(of: known, pieces) {
                    sources[sources.primary].version = known
                    return drain(next, now: now)
                }
            }
            effects.append(.content(.prepareAgain(forJournal(facts))))
            return
        }
        sources[sources.primary].version = known
        beginsAsPage = known.beginsLikePage
        drain(.resume(pieces), now: now)
    }

    /// Returns true if the primary source described a partial file.
    private func isDescribed(_ known: KnownVersion) -> Bool { sources.describer(of: known) == sources.primary }

    private mutating func attach(
        _ preparing: MachinePhase.Preparing, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        let id = preparing.fetch
        guard fetches[id] != nil else {
            guard let ended = preparing.ended else { return proceed(now: now) }
            return react(to: ended.outcome, of: ended.fetch, now: now, using: &generator)
        }
        fetches.attach(id, to: 0, reach: map.total ?? limit ?? .max, now: now)
        let end = map.total ?? limit
        effects.append(.network(.attach(fetch: id, segment: 0, end: end, isLimit: map.total == nil && end != nil)))
        proceed(now: now)
    }
}
