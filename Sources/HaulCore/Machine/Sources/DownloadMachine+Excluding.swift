/// A source that fails, sends corrupt data or disagrees is excluded and named; the download fails only if no source is
/// left.
extension DownloadMachine {
    /// The number of consecutive failures that are tolerated if another source is available.
    static let breaksForgiven = 2

    /// Excludes a source: the download continues with the others, or fails with the main source's error.
    mutating func sourceFails(
        _ id: SourceID, _ error: DownloadError, _ scope: Source.Exclusion.Scope = .lasting, now: Duration
    ) {
        giveUp(id, error.of(status: responded), scope, now: now)
    }

    /// Handles a source that has a different file than the one being fetched.
    ///
    /// The main source decides, and so does the source that defined the version: if it contradicts what it said before,
    /// the file has changed, and everything starts again. Other sources were only compared with some bytes of the old
    /// version, and may have the new one by now. If a mirror defined it because the main source did not respond, the main
    /// source decides as soon as it does. Of other sources, the primary one decides unless another one has proved
    /// to have the same file.
    mutating func sourceDiffers(_ id: SourceID, now: Duration) {
        let others = sources.usable.filter { $0 != id && isFirm($0) }
        if sources.decides(id), !configuration.isVouchedFor {
            sources.noteChange(by: id)
            // After it started over once, the others are more likely to be wrong than the main source, and a mirror is
            // more likely to be wrong than the others.
            if restarts > 0, sources.isUsable(id) {
                let wrong = id == .main ? others : sources.usable.count > 1 ? [id] : []
                for source in wrong { excludeAsDifferent(source) }
            }
            return restart(.sourceChanged, of: id, now: now)
        }
        if id == .main, isOfMirror { return beginWithMain(now: now) }
        if id == sources.primary && others.isEmpty { return restart(.sourceChanged, of: id, now: now) }
        giveUp(id, Self.hasOtherFile, .disagreement, now: now)
    }

    /// True if a mirror described the bytes while the main source did not respond, and no checksum decides.
    var isOfMirror: Bool {
        sources.mayMix && sources.definer != .main && !configuration.isVouchedFor && sources.solo == nil
    }

    /// Returns true if the main source can't be compared, because it sends only the whole file, and nothing shows that it has
    /// the mirror's.
    func mustBeginWithMain(_ facts: ResponseFacts, from id: SourceID) -> Bool {
        guard id == .main, isOfMirror, phase == .transferring, let version = sources[sources.definer].version else {
            return false
        }
        return !version.validators.vouch(for: facts.validators)
    }

    /// Starts again with the main source, which decides what the file is; the mirror's bytes do not count against it.
    mutating func beginWithMain(now: Duration) {
        sources.definer = .main
        restart(.sourceChanged, of: .main, then: .overrule, now: now)
    }

    static let hasOtherFile = DownloadError(.sourceChanged, "it has a different file")

    private mutating func excludeAsDifferent(_ id: SourceID) {
        sources.exclude(id, Self.hasOtherFile)
        reportExclusion(of: id, Self.hasOtherFile)
        for fetch in fetches.all where fetch.source == id { cancel(fetch.id, as: .surplus) }
    }

    mutating func giveUp(
        _ id: SourceID, _ error: DownloadError, _ scope: Source.Exclusion.Scope, now: Duration
    ) {
        guard phase == .probing || phase == .transferring || anySourceMayProve else { return fail(error, now: now) }
        // Fetches of one source that were running at the same time fail together: it is named once.
        guard sources[id].exclusion == nil else { return proceed(now: now) }
        let wasSolo = sources.solo != nil
        sources.exclude(id, error, scope)
        var mustRestart = wasSolo
        if sources.usable.isEmpty, scope != .disagreement, configuration.isVouchedFor {
            // They only disagreed with a source that failed: the checksum decides at the end which one was right.
            sources.readmit()
            mustRestart = true
        }
        if sources.usable.isEmpty {
            if sources.solo == [] { sources.solo = nil }
            if sources.readmitLast() { mustRestart = true }
        }
        guard let next = sources.usable.first else { return fail(sources.failure ?? error, now: now) }
        reportExclusion(of: id, error)
        for fetch in fetches.all where fetch.source == id { cancel(fetch.id, as: .surplus) }
        if phase == .probing {
            return sources.primaries.isEmpty ? fail(sources.failure ?? error, now: now) : probe(now: now)
        }
        if case .proving(let proof) = phase {
            // The bytes of another download are never given up.
            if mustRestart, proof.origin == .otherSource { return fail(sources.failure ?? error, now: now) }
            if !mustRestart {
                return sources.primaries.isEmpty ? fail(sources.failure ?? error, now: now) : proveByAnother(now: now)
            }
        }
        guard id == sources.primary || mustRestart else { return proceed(now: now) }
        let successor = sources.usable.first(where: isFirm)
        if mustRestart || successor == nil && !canJoin(next) {
            return sources.primaries.isEmpty ? fail(sources.failure ?? error, now: now) : drain(.restart, now: now)
        }
        sources.primary = successor ?? next
        proceed(now: now)
        let waiting = sources[sources.primary]
        if scope == .unconfirmed, waiting.notBefore > now, let error = waiting.lastError {
            let reason = WaitReason.retrying(error, attempt: waiting.failures)
            effects.append(.emit(.waiting(reason, seconds: (waiting.notBefore - now).seconds)))
        }
    }

    private mutating func reportExclusion(of id: SourceID, _ error: DownloadError) {
        effects.append(.emit(.notice(.sourceExcluded(url: sources[id].home.redacted, reason: error.description))))
    }

    /// Makes the others continue after a failure of a source that may be used again later.
    ///
    /// - Returns: True if any of them is running.
    mutating func turnToOthers(from id: SourceID, now: Duration) -> Bool {
        switch phase.requests {
        case .first:
            guard sources.primaries.contains(where: { sources[$0].notBefore <= now }) else { return false }
            probe(now: now)
        case .segments:
            let others = sources.usable.filter { $0 != id && sources[$0].notBefore <= now }
            if id == sources.primary, let next = others.first(where: isFirm) ?? others.first {
                let isHeldByOthers = sources.usable.contains { $0 != id && isFirm($0) }
                guard canJoin(next) || isHeldByOthers else {
                    keepUnmeasured()
                    drain(.restart, now: now)
                    return !fetches.isEmpty
                }
                if canJoin(next) || isFirm(next) { sources.primary = next }
            }
            proceed(now: now)
        case .proof:
            guard anySourceMayProve, sources.primaries.contains(where: { sources[$0].notBefore <= now }) else {
                return false
            }
            proveByAnother(now: now)
        case nil: return false
        }
        return !fetches.isEmpty
    }

    /// Forgets the version of the file, and chooses the source to ask first.
    mutating func forgetSources(now: Duration) {
        resumedBytes = 0
        wasSampled = false
        brokenEnds = []
        continuesUnproven = false
        sources.forget()
        sources.readmit()
        choosePrimary(now: now)
    }

    /// The longest time for which the main source is waited for before another one may replace what it has sent.
    private static let longestWait = Duration.seconds(10)

    /// Makes the first source in order that is available now the primary one; if none is, the one that becomes
    /// available first.
    ///
    /// If the file starts again and the main source has described it, it comes first: a mirror might have another file,
    /// and enough bytes for a comparison would be lost. If the size is unknown, so does the source that sent the bytes.
    mutating func choosePrimary(now: Duration) {
        let usable = sources.primaries
        if phase == .probing, let source = unmeasured?.source, usable.contains(source) {
            sources.primary = source
            return
        }
        if phase == .probing, let former, former == .overruled || former.count >= Self.overlap,
            !configuration.isVouchedFor,
            sources.definer == .main, usable.contains(.main), sources[.main].notBefore <= now + Self.longestWait
        {
            sources.primary = .main
            return
        }
        guard
            let id = usable.first(where: { sources[$0].notBefore <= now && hasTargetPath(at: $0) })
                ?? usable.min(by: { sources[$0].notBefore < sources[$1].notBefore })
        else { return }
        sources.primary = id
    }

    /// Checks the size of the file, now that all bytes are present, before the digests.
    mutating func didFill(now: Duration) {
        // A source that decides has begun to contradict itself, and others have completed the file meanwhile: they may
        // have the new version.
        let changing = sources.ids.first { sources.decides($0) && sources[$0].consensus.isChanging }
        if sources.mayMix, !configuration.isVouchedFor, let changing { return sourceDiffers(changing, now: now) }
        guard let problem = objection(to: map.total) else {
            return lookAgain(now: now) ? () : drain(.verify, now: now)
        }
        guard sources.usable.count > 1 else { return fail(problem, now: now) }
        // Its digest is that of the file that it has.
        if digestSource == sources.primary { (headerChecksum, describedChecksum) = (nil, nil) }
        sources.exclude(sources.primary, problem)
        reportExclusion(of: sources.primary, problem)
        sources.primaries.isEmpty ? fail(problem, now: now) : drain(.restart, now: now)
    }

    /// Handles a checksum mismatch of a file to which several sources may have contributed.
    ///
    /// If one source delivered everything, it is excluded. Otherwise the source of the corrupt bytes is unknown, so
    /// each source is tried alone.
    mutating func didMismatch(_ wanted: Checksum, _ hex: String?, now: Duration) {
        let contributors = sources.ledger.sources
        if sources.solo != nil || contributors.count == 1 && resumedBytes == 0 {
            let id = sources.solo?.first ?? contributors.first ?? sources.primary
            let error = DownloadError(
                .checksumMismatch,
                "wrong checksum: expected \(wanted.algorithm.rawValue):\(wanted.hex)",
                cause: hex.map { "found \($0)" })
            sources.exclude(id, error)
            reportExclusion(of: id, error)
            sources.readmit()
            if sources.solo == [] { sources.solo = nil }
            if sources.primaries.isEmpty { sources.readmitLast() }
        } else {
            return tryEachAlone(now: now)
        }
        guard !sources.primaries.isEmpty else { return fail(noneHasIt(wanted), now: now) }
        restartFromPrimary(now: now)
    }

    /// Handles a complete file in which responses contradict each other, although several sources may have sent them.
    ///
    /// Each source is tried alone. One that then contradicts itself is excluded: it is used again only for the whole
    /// file, if no other source is left, because one response is always of one version.
    mutating func didContradict(now: Duration) {
        if sourcesDisagree(now: now) { return }
        let id = sources.solo?.first ?? sources.primary
        sources.exclude(id, Self.contradictsItself, sources[id].usesRanges ? .parts : .lasting)
        reportExclusion(of: id, Self.contradictsItself)
        if sources.solo == [] {
            sources.solo = nil
            sources.readmitLast()
        }
        guard !sources.primaries.isEmpty else { return fail(sources.failure ?? Self.contradictsItself, now: now) }
        restartFromPrimary(now: now)
    }

    private static let contradictsItself = DownloadError(.sourceChanged, "its responses contradict each other")

    /// Requests the whole file from one source after the other, because the source of the corrupt bytes is unknown.
    mutating func tryEachAlone(now: Duration) {
        sources.readmit()
        sources.readmitLast()
        sources.solo = sources.primaries
        restartFromPrimary(now: now)
    }

    private mutating func restartFromPrimary(now: Duration) {
        resumedBytes = 0
        farthest = 0
        drain(.restart, now: now)
    }

    private func noneHasIt(_ wanted: Checksum) -> DownloadError {
        let asked = sources.ids.filter { sources[$0].exclusion?.error.code == .checksumMismatch }
        let names = asked.map { sources[$0].home.redacted }.joined(separator: ", ")
        return DownloadError(
            .checksumMismatch,
            "wrong checksum from all sources: expected \(wanted.algorithm.rawValue):\(wanted.hex); nothing was kept",
            cause: "sources: \(names)")
    }
}
