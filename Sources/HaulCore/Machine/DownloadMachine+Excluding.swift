/// A source that fails, lies or disagrees is left out and named; the download fails only where none is left.
extension DownloadMachine {
    /// So many failures in a row are forgiven where another source could be asked instead.
    static let breaksForgiven = 2

    /// The source in focus is of no use: the download goes on with the others, or fails with the reason of the main source.
    mutating func sourceFails(
        _ error: DownloadError, _ scope: Source.Exclusion.Scope = .lasting, now: Duration
    ) {
        let error = error.of(status: responded)
        if sources.isSingle { return fail(error, now: now) }
        giveUp(sources.focus, error, scope, now: now)
    }

    /// The source in focus has another file than the one that is being fetched.
    ///
    /// Where it is the one that says what the file is, and no other has shown that it has the same, its new version is fetched.
    mutating func sourceDiffers(now: Duration) {
        let id = sources.focus
        let isHeldByOthers = sources.usable.contains { $0 != id && isFirm($0) }
        if sources.isSingle || id == sources.primary && !isHeldByOthers { return restart(.sourceChanged, now: now) }
        giveUp(id, DownloadError(.sourceChanged, "its file is another one"), .disagreement, now: now)
    }

    private mutating func giveUp(
        _ id: Int, _ error: DownloadError, _ scope: Source.Exclusion.Scope, now: Duration
    ) {
        guard phase == .probing || phase == .transferring else { return fail(error, now: now) }
        // Fetches of one source that were under way together fail together: it is named once.
        guard sources[id].exclusion == nil else { return proceed(now: now) }
        let wasSolo = sources.solo != nil
        sources.exclude(id, error, scope)
        var mustRestart = wasSolo
        if sources.usable.isEmpty, scope != .disagreement, configuration.isVouchedFor {
            // They only disagreed with one that failed: the digest says in the end who was right.
            sources.readmit()
            mustRestart = true
        }
        if sources.usable.isEmpty {
            if sources.solo == [] { sources.solo = nil }
            if sources.readmitLast() { mustRestart = true }
        }
        guard let next = sources.usable.first else { return fail(sources.failure ?? error, now: now) }
        reportExclusion(of: id, error)
        for fetch in active.values.sorted(by: { $0.plan.id < $1.plan.id }) where fetch.plan.source == id {
            active[fetch.plan.id]?.isSurplus = true
            effects.append(.network(.cancel(fetch.plan.id)))
        }
        if phase == .probing {
            return sources.primaries.isEmpty ? fail(sources.failure ?? error, now: now) : probe(now: now)
        }
        guard id == sources.primary || mustRestart else { return proceed(now: now) }
        let successor = sources.usable.first(where: isFirm)
        if mustRestart || successor == nil && !canJoin(next) {
            return sources.primaries.isEmpty ? fail(sources.failure ?? error, now: now) : drain(.restart, now: now)
        }
        sources.primary = successor ?? next
        sources.focus = sources.primary
        proceed(now: now)
    }

    private mutating func reportExclusion(of id: Int, _ error: DownloadError) {
        effects.append(.emit(.notice(.sourceExcluded(url: sources[id].home.redacted, reason: error.description))))
    }

    /// After a failure of the source in focus, which may be asked again later: has the others go on meanwhile.
    ///
    /// - Returns: whether any of them is at work.
    mutating func turnToOthers(now: Duration) -> Bool {
        let id = sources.focus
        switch phase {
        case .probing:
            guard sources.primaries.contains(where: { sources[$0].notBefore <= now }) else { return false }
            probe(now: now)
        case .transferring:
            let others = sources.usable.filter { $0 != id && sources[$0].notBefore <= now }
            if id == sources.primary, let next = others.first(where: isFirm) ?? others.first {
                let isHeldByOthers = sources.usable.contains { $0 != id && isFirm($0) }
                guard canJoin(next) || isHeldByOthers else {
                    drain(.restart, now: now)
                    return true
                }
                if canJoin(next) || isFirm(next) { sources.primary = next }
            }
            proceed(now: now)
            sources.focus = id
        case .idle, .locating, .preparing, .proving, .reopening, .draining, .verifying, .publishing, .closing, .ended:
            return false
        }
        return !active.isEmpty
    }

    /// Forgets what the file is, and chooses whom to ask first.
    mutating func forgetSources(now: Duration) {
        resumedBytes = 0
        guard !sources.isSingle else {
            version = nil
            return
        }
        sources.forget()
        sources.readmit()
        choosePrimary(now: now)
    }

    /// The first source in order that may be asked now leads; where none may, the one that may be first.
    mutating func choosePrimary(now: Duration) {
        let usable = sources.primaries
        guard !sources.isSingle,
            let id = usable.first(where: { sources[$0].notBefore <= now && hasTargetPath(at: $0) })
                ?? usable.min(by: { sources[$0].notBefore < sources[$1].notBefore })
        else { return }
        sources.primary = id
        sources.focus = id
    }

    /// All bytes are there; whether they are as many as there should be is looked at before the digests.
    mutating func didFill(now: Duration) {
        guard let problem = objection(to: map.total) else {
            return lookAgain(now: now) ? () : drain(.verify, now: now)
        }
        guard !sources.isSingle, sources.usable.count > 1 else { return fail(problem, now: now) }
        sources.exclude(sources.primary, problem)
        reportExclusion(of: sources.primary, problem)
        sources.primaries.isEmpty ? fail(problem, now: now) : drain(.restart, now: now)
    }

    /// The file does not have its checksum, and several sources could have brought the wrong bytes.
    ///
    /// Where one has brought all of them, it is left out. Else nothing tells whose bytes are wrong, so each source is tried alone.
    mutating func didMismatch(_ wanted: Checksum, _ hex: String?, now: Duration) {
        let contributors = sources.ledger.sources
        if sources.solo != nil || contributors.count == 1 && resumedBytes == 0 {
            let id = sources.solo?.first ?? contributors.first ?? sources.primary
            let error = DownloadError(
                .checksumMismatch,
                "its file does not have the checksum \(wanted.algorithm.rawValue):\(wanted.hex.prefix(16))…",
                cause: hex.map { "it is \($0)" })
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

    /// Nothing tells whose bytes are wrong: the sources are asked for the whole file, one after the other.
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
            "no source has a file with the checksum \(wanted.algorithm.rawValue):\(wanted.hex.prefix(16))…; nothing was kept",
            cause: "asked: \(names)")
    }
}
