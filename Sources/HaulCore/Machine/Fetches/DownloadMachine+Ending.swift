extension DownloadMachine {
    /// Handles the end of a fetch.
    ///
    /// The next step depends on the outcome and on the other running fetches.
    mutating func didEnd(
        _ id: Int, at position: Int64, _ end: FetchEnd, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        note(position, of: id, now: now)
        guard let fetch = fetches.end(id) else { return }
        if fetch.plan.isBackup { return didEndBackup(fetch, at: position, end, now: now) }
        tails.didBring(fetch.gained, in: now - fetch.began)
        // Includes the compared bytes: a gain of one byte must not reduce the comparison to nothing.
        let compared = fetch.startPosition - fetch.plan.ask.offset
        if fetch.gained > 0 { lastGain = fetch.gained + compared }
        // A server whose responses are shorter than the comparison: half as much next time.
        if fetch.gained == 0, compared > 0, end == .complete { lastGain = compared }
        distrustIfWeak(fetch.source)
        if fetch.isBroken(by: end) || leavesRest(fetch, end) { brokenEnds.insert(position) }
        switch phase {
        case .draining(let next):
            if fetches.isEmpty { didDrain(next, now: now) }
        case .preparing(var preparing) where preparing.fetch == id:
            // If the body is complete although the fetch was never attached, it was empty.
            if end == .complete, preparing.facts.total == nil,
                seen[fetch.source].hasMore(than: 0, of: preparing.facts.validators)
            {
                preparing.ended = MachinePhase.Preparing.Ended(fetch: fetch, outcome: .broken(Self.endsEarly))
            } else if end == .complete {
                preparing.facts.total = preparing.facts.total ?? 0
            } else {
                preparing.ended = MachinePhase.Preparing.Ended(fetch: fetch, outcome: end)
            }
            phase = .preparing(preparing)
        case .proving(let proof): didEndProof(proof, fetch, at: position, end, now: now, using: &generator)
        case .transferring where fetch.plan.isProof:
            didEndComparison(fetch, at: position, end, now: now, using: &generator)
        case .probing, .transferring:
            reportContiguousPrefix()
            reclaim(whatWasFor: fetch)
            react(to: end, of: fetch, now: now, using: &generator)
            dropBackups(now: now)
        case .idle, .locating, .preparing, .describing, .reopening, .verifying, .publishing, .closing, .ended: return
        }
    }

    /// Returns true if a fetch was cancelled before its segment was full: another response continues its bytes, and
    /// nobody sees whether all of them came.
    private func leavesRest(_ fetch: ActiveFetch, _ end: FetchEnd) -> Bool {
        guard end == .cancelled, fetch.gained > 0, let segment = fetch.segment else { return false }
        return map.remaining(of: segment) != 0
    }

    mutating func react(
        to end: FetchEnd, of fetch: ActiveFetch, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        if case .refuse? = fetch.decision, end != .rejected {
            return react(to: .rejected, of: fetch, now: now, using: &generator)
        }
        if wasNotCarriedOut(fetch, end) { mayBeCarriedOut = false }
        switch end {
        case .complete: didComplete(fetch, now: now, using: &generator)
        case .enough, .won:
            if let limit, fetch.position >= limit { map.close(at: limit) }
            proceed(now: now)
        case .rejected:
            guard let decision = fetch.decision else {
                guard fetch.plan.hedge != nil else { return proceed(now: now) }
                // The original was faster than is known here: until the next tick, another request would be as late.
                return fetches.overrun()
            }
            react(to: decision, of: fetch, now: now, using: &generator)
        case .cancelled:
            switch fetch.cancellation {
            case nil, .surplus, .moved: proceed(now: now)
            case .stalled: wasSilent(fetch, now: now, using: &generator)
            case .tooSlow(let error): wasTooSlow(fetch, error, now: now, using: &generator)
            }
        case .broken where fetch.isSuperfluous, .unreachable where fetch.isSuperfluous,
            .hopeless where fetch.isSuperfluous:
            proceed(now: now)
        case .broken(let error), .unreachable(let error), .hopeless(let error):
            broke(fetch, error, end, now: now, using: &generator)
        case .differs where fetch.plan.provesOffset && !sources.mayMix: offsetIsWrong(at: fetch.source, now: now)
        case .differs: sourceDiffers(fetch.source, now: now)
        case .longer:
            if let version = sources[fetch.source].version, let total = map.total {
                seen[fetch.source].outgrew(version.validators, total)
            }
            sourceDiffers(fetch.source, now: now)
        case .undecided: offsetIsUndecided(at: fetch.source, now: now)
        case .fileFailed(let error): fail(error, now: now)
        }
    }

    /// Handles an attempt that was aborted because no data arrived.
    private mutating func wasSilent(
        _ fetch: ActiveFetch, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        preferOthers(to: fetch.source, now: now)
        let seconds = max(1, Int((now - fetch.lastActivity).seconds.rounded()))
        let error = DownloadError(.timedOut, "no data received for \(seconds) s", detail: .silent)
        broke(fetch, error, .broken(error), now: now, using: &generator)
    }

    /// Handles an attempt that was aborted because it was too slow: it counts as failed, whatever it delivered.
    private mutating func wasTooSlow(
        _ fetch: ActiveFetch, _ error: DownloadError, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        if let segment = fetch.segment, map.remaining(of: segment) == 0 { return proceed(now: now) }
        if configuration.tuning.failsWhenSlow == true { return sourceFails(fetch.source, error, now: now) }
        preferOthers(to: fetch.source, now: now)
        let attempts = sources[fetch.source].slowAttempts
        sources[fetch.source].failures = max(sources[fetch.source].failures, attempts - 1)
        retry(fetch, error, reason: nil, after: nil, now: now, using: &generator)
    }

    /// Handles the end of the body, which may come before the end of the segment.
    private mutating func didComplete(
        _ fetch: ActiveFetch, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        let validators = sources[fetch.source].version?.validators
        let seen = seen[fetch.source]
        let isCut = map.total == nil && (validators.map { seen.hasMore(than: fetch.position, of: $0) } ?? false)
        if map.total == nil, !isCut { map.close(at: fetch.position) }
        if isCut || fetch.segment.map({ map.remaining(of: $0) != 0 && fetch.gained == 0 }) ?? false {
            return broke(fetch, Self.endsEarly, .broken(Self.endsEarly), now: now, using: &generator)
        }
        proceed(now: now)
    }

    private mutating func react(
        to decision: ResponseDecision, of fetch: ActiveFetch, now: Duration,
        using generator: inout some RandomNumberGenerator
    ) {
        responded = decision.status
        defer { responded = nil }
        let source = fetch.source
        switch decision {
        case .take: proceed(now: now)
        case .redirect(let location, let status, let newCookies, let links):
            keepLinks(links, of: fetch.plan)
            follow(location, status: status, newCookies: newCookies, of: fetch, now: now)
        case .whole(let facts, _)
        where seemsError(facts) && !sources[source].oddAnswers.contains(fetch.startPosition):
            askOnceMore(fetch, now: now)
        case .whole(let facts, _) where mustBeginWithMain(facts, from: source):
            sources[.main].usesRanges = false
            beginWithMain(now: now)
        case .changed: sourceDiffers(source, now: now)
        case .otherVersion(let facts) where fetch.plan.ask.known?.hasSameSize(as: facts) == false:
            sourceDiffers(source, now: now)
        case .otherVersion(let facts): receivedOtherVersion(facts, of: fetch, now: now)
        case .unproven: partIsUnproven(fetch, now: now, using: &generator)
        case .whole(let facts, .different) where hasSameSize(facts, from: source):
            receivedOtherVersion(facts, of: fetch, now: now)
        case .whole(_, .different): sourceDiffers(source, now: now)
        // It might be another version than the existing bytes.
        case .whole where fetch.plan.comparesWhole: sourceDiffers(source, now: now)
        case .whole where fetch.plan.ask.ifRangeHeader != nil: ifRangeWasMisread(fetch, now: now)
        case .whole, .rangesBroken: rangeMissed(fetch, now: now, using: &generator)
        case .notModified:
            firstRequest = .facts
            probe(now: now)
        case .askWithoutRange:
            sources[source].usesRanges = false
            probe(now: now)
        case .busy(let status, let seconds, let refusal):
            let wait = decision.wait
            if stepBack(source, now: now, after: wait) { return }
            if let seconds, let maxWait = configuration.transfer.maxWait, .seconds(seconds) > maxWait {
                let limit = "longer than the \(maxWait.inWords) allowed"
                return sourceFails(source, .longWait(status, seconds, limit), now: now)
            }
            if waitForPlace(fetch, status, after: wait, now: now) { return }
            let error = DownloadError.busy(status, refusal, by: forwarder(of: fetch))
            retry(fetch, error, reason: .serverAsked(status: status), after: wait, now: now, using: &generator)
        case .tryAgain where triesRanges(fetch): rangesAreRefused(by: source, now: now)
        case .tryAgain(let status, let refusal):
            if stepBack(source, now: now, after: nil) { return }
            let error = DownloadError.busy(status, refusal, by: forwarder(of: fetch))
            retry(fetch, error, reason: nil, after: nil, now: now, using: &generator)
        case .denied(404, let refusal) where map.written == 0 && notFounds < configuration.tuning.notFoundRetries ?? 0:
            notFounds += 1
            let error = DownloadError.denied(404, refusal, by: forwarder(of: fetch))
            retry(fetch, error, reason: nil, after: nil, now: now, using: &generator)
        case .denied(let status, let refusal): denied(status, refusal, fetch, now: now)
        case .refuse where triesRanges(fetch): rangesAreRefused(by: source, now: now)
        // A server that has sent ranges may send the rest later.
        case .refuse(let error) where error.detail == .rangeRefused && !sources[source].hasServedRange:
            rangeMissed(fetch, now: now, using: &generator)
        case .refuse(let error) where error.code == .unexpectedStatus:
            sourceFails(source, error.through(forwarder(of: fetch)), now: now)
        case .refuse(let error): sourceFails(source, error, now: now)
        }
    }

    private static let endsEarly = DownloadError(
        .badResponse, "the server's responses end before the file is complete")

    private func forwarder(of fetch: ActiveFetch) -> ProxyURL? {
        configuration.proxies.forwarder(for: fetch.plan.url.origin)
    }

    /// Returns true if a fetch was the first to request a range, beside a plain request that is still delivering the
    /// file.
    private func triesRanges(_ fetch: ActiveFetch) -> Bool {
        phase == .transferring && fetch.plan.ask.usesRange && !sources[fetch.source].hasServedRange
            && fetches.accepted.contains { $0.source == fetch.source && !$0.plan.ask.usesRange }
    }

    /// Continues with the plain request alone.
    private mutating func rangesAreRefused(by source: SourceID, now: Duration) {
        sources[source].servesRanges = false
        proceed(now: now)
    }

    /// Handles a response that is not the requested range.
    ///
    /// A server that has served ranges in this run is asked once more at each position: one of many servers behind a
    /// name may deviate, and starting over would discard everything. If a broken connection was the reason for
    /// requesting a range, it counts as a failure now, because the range gained nothing.
    mutating func rangeMissed(
        _ fetch: ActiveFetch, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        let source = fetch.source
        if triesRanges(fetch) { return rangesAreRefused(by: source, now: now) }
        if stepBack(source, now: now, after: nil, informsHost: false) { return }
        if sources[source].hasServedRange, map.written > 0,
            sources[source].oddAnswers.insert(fetch.startPosition).inserted
        {
            return tryAgain(now: now)
        }
        // A stream cannot start over, and the server may send the next range.
        let mayServeRanges =
            sources[source].hasServedRange || sources[source].promisesRanges && !configuration.receiverStartsAgain
        if mayServeRanges, configuration.streamWindow != nil, map.written > 0 {
            let error = DownloadError(.badResponse, "the server sent the whole file instead of the requested range")
            return retry(fetch, error, reason: nil, after: nil, now: now, using: &generator)
        }
        if source != sources.primary || sources.hasAlternative(to: source) && map.written > 0 {
            let error = DownloadError(.badResponse, "it does not support range requests")
            return sourceFails(source, error, .parts, now: now)
        }
        guard !sources.mayMix, configuration.streamWindow == nil, !mustNotStartOver,
            let error = sources[source].excusedBreak
        else {
            return restart(.rangesIgnored, of: source, now: now)
        }
        sources[source].usesRanges = false
        effects.append(.emit(.notice(.rangesIgnored)))
        retry(fetch, error, reason: nil, after: nil, now: now, using: &generator)
    }

    /// Handles 401, 403, 404, 407 and 410.
    ///
    /// The causes are considered in this order: an outdated redirect, too many connections, an expired link, a missing
    /// file.
    private mutating func denied(_ status: Int, _ refusal: Refusal, _ fetch: ActiveFetch, now: Duration) {
        let source = fetch.source
        let home = sources[source].home
        if fetch.plan.url != home, fetch.plan.redirects.isEmpty, status != 407 {
            // The redirect may lead elsewhere by now.
            if sources[source].currentURL == fetch.plan.url { sources[source].returnHome() }
            return tryAgain(now: now)
        }
        if case .untilResponse(let hedge)? = fetch.plan.hedge, status != 407,
            fetches[hedge]?.source == source,
            sources[source].responseCount == 1
        {
            sources[source].link = .oneUse
        }
        if seemsExpired(status, source, now: now) { return }
        let isLinkGood = sources[source].link == .good
        if stepBack(source, now: now, after: nil, informsHost: status == 403 && isLinkGood) { return }
        let error = DownloadError.denied(status, refusal, by: forwarder(of: fetch))
        // A new link helps neither if the file is gone, nor if the proxy wants a password.
        if map.written > 0, ![404, 407].contains(status) {
            return sourceFails(source, expired(error), now: now)
        }
        sourceFails(source, error, now: now)
    }

    /// Returns the error of a link that was refused after a part of the file had come.
    private func expired(_ error: DownloadError) -> DownloadError {
        let message = "\(error.message) partway through: the link has probably expired"
        if keepsBytes { return DownloadError(.linkExpired, message + "; the data is kept") }
        return DownloadError(.linkExpired, message + "; no data is kept", detail: .mustStartAgain)
    }

    /// Decides what a refusal means while other connections continue: too many connections, or an expired link.
    ///
    /// Servers do not send 401 or 410 because of too many connections. If the same number of connections was served
    /// before, 403 is not caused by their number, once bad timing can be ruled out.
    ///
    /// - Returns: True if the link has probably expired, or is requested again soon: the running fetches continue, and
    ///   their number is not reduced.
    private mutating func seemsExpired(_ status: Int, _ source: SourceID, now: Duration) -> Bool {
        let running = fetches.accepted.count { $0.source == source }
        guard phase == .transferring, running > 0, sources[source].link != .oneUse else { return false }
        switch status {
        case 401, 410: sources[source].link = .expiring
        case 403 where sources[governorOf: source].hasServed(running + 1):
            let left = fetches.count(from: source)
            if !sources[governorOf: source].isBadTiming(active: left, now: now) { sources[source].link = .expiring }
        default: return false
        }
        return true
    }

    /// Sends the requests of the current phase that are missing, at once.
    mutating func tryAgain(now: Duration) {
        switch phase.requests {
        case .first: probe(now: now)
        case .proof: continueProving(now: now)
        case .segments: proceed(now: now)
        case nil: break
        }
    }

    /// Handles a broken connection.
    private mutating func broke(
        _ fetch: ActiveFetch, _ error: DownloadError, _ end: FetchEnd, now: Duration,
        using generator: inout some RandomNumberGenerator
    ) {
        if let segment = fetch.segment, map.remaining(of: segment) == 0 { return proceed(now: now) }
        let source = fetch.source
        let hasReceived = sources[source].hasReceived
        let error = error.through(configuration.proxies.proxy(for: fetch.plan.url.origin))
        if fetch.gained >= RetryPolicy.progressBytes, sources[source].usesRanges, map.total != nil {
            sources[source].excusedBreak = error
            return proceed(now: now)
        }
        if error.code == .tooManyFiles {
            // This limit is the process's own: it says nothing about the host, and another attempt at once would fail
            // as well.
            return stepBack(source, now: now, after: nil, informsHost: false) ? () : fail(error, now: now)
        }
        if stepBack(source, now: now, after: nil) { return }
        if case .hopeless = end { return sourceFails(source, error, now: now) }
        if mustNotRepeat { return sourceFails(source, unrepeated(error), now: now) }
        let isUnreachable = if case .unreachable = end { true } else { false }
        switch error.code {
        case .tlsFailed where !hasReceived, .invalidRequest, .notAuthorized: return sourceFails(source, error, now: now)
        // The server speaks another protocol, and will do so the next time.
        case .badResponse where !hasReceived && error.detail != nil: return sourceFails(source, error, now: now)
        case .connectionFailed
        where hasReceived && !fetch.isAccepted && sources[source].freeTries.insert(fetch.startPosition).inserted:
            // A server, or a proxy, may have closed the connection at the moment of its use.
            return tryAgain(now: now)
        // A host without any connection refuses because no server is running, not because it has no free connection.
        case .connectionFailed
        where (!isUnreachable || sources.quota(of: source).isServing) && waitForPlace(fetch, nil, after: nil, now: now):
            return
        default:
            retry(
                fetch, error, isUnreachable: isUnreachable && !hasReceived, reason: nil, after: nil, now: now,
                using: &generator)
        }
    }

    /// Reduces the number of connections to a source instead of failing, as long as other fetches from it are
    /// delivering.
    ///
    /// - Parameter informsHost: True if the cause is the number of connections that the host serves to all downloads.
    mutating func stepBack(
        _ source: SourceID, now: Duration, after wait: Duration?, informsHost: Bool = true
    ) -> Bool {
        guard phase == .transferring, fetches.isDelivering(source) else {
            return false
        }
        let left = fetches.count(from: source)
        // With other downloads at the same host, this download's own number is meaningless: the host's governor knows
        // the total.
        if !informsHost || !sources.quota(of: source).isShared {
            sources[governorOf: source].refused(active: left, now: now, retryAfter: wait)
        }
        if informsHost {
            reportRefusal(of: source, after: wait)
            // Otherwise it was not the server that refused.
            effects.append(.emit(.notice(.fewerConnections(left))))
        }
        return true
    }

    /// Counts a failure and waits, or gives up.
    ///
    /// Fetches that were running at the same time fail together, which counts once.
    private mutating func retry(
        _ fetch: ActiveFetch, _ error: DownloadError, isUnreachable: Bool = false, reason: WaitReason?,
        after asked: Duration?, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        let source = fetch.source
        if let asked { sources[source].wait(until: now + asked) }
        guard let failures = sources[source].countFailure(of: fetch, now: now) else { return }
        sources[source].lastError = error
        // A pause follows, so that the break before it need not cause another one.
        sources[source].excusedBreak = nil
        if mustNotRepeat { return sourceFails(source, unrepeated(error), now: now) }
        guard let delay = configuration.retry.delay(attempt: failures, isUnreachable: isUnreachable, using: &generator)
        else { return sourceFails(source, error, now: now) }
        guard !sources.hasAlternative(to: source) || failures <= Self.breaksForgiven else {
            return sourceFails(source, error, .breaks, now: now)
        }
        // A requested wait of zero, or a date in the past, must not use up all attempts in an instant.
        let wait = asked.map { $0 > .zero ? $0 : delay } ?? delay
        sources[source].wait(until: now + wait)
        sources[source].returnHome()
        if sources.hasAlternative(to: source), turnToOthers(from: source, now: now) { return }
        if phase == .transferring, !sources[source].usesRanges || map.total == nil || map.written == 0 {
            if endsStream(error.endingStream, now: now) { return }
            requestWhole(now: now)
        }
        let error = error.of(status: responded)
        let why = asked == nil ? .retrying(error, attempt: failures) : reason ?? .retrying(error, attempt: failures)
        // After a restart, the next attempt may be another source's.
        let next = phase == .probing ? sources.primary : source
        effects.append(.emit(.waiting(why, seconds: (sources[next].notBefore - now).seconds)))
    }
}
