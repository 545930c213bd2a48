/// The state of the source in focus, under the names that the rest of the machine uses.
///
/// With a single source, that is the only one.
extension DownloadMachine {
    var governor: ConnectionGovernor {
        get { sources[governorOf: sources.focus] }
        set { sources[governorOf: sources.focus] = newValue }
    }
    var currentURL: SourceURL {
        get { sources.current.currentURL }
        set { sources.current.currentURL = newValue }
    }
    var version: KnownVersion? {
        get { sources.current.version }
        set { sources.current.version = newValue }
    }
    var usesRanges: Bool {
        get { sources.current.usesRanges }
        set { sources.current.usesRanges = newValue }
    }
    var servesRanges: Bool {
        get { sources.current.servesRanges }
        set { sources.current.servesRanges = newValue }
    }
    var hasServedRange: Bool {
        get { sources.current.hasServedRange }
        set { sources.current.hasServedRange = newValue }
    }
    var hasReceived: Bool {
        get { sources.current.hasReceived }
        set { sources.current.hasReceived = newValue }
    }
    var failures: Int {
        get { sources.current.failures }
        set { sources.current.failures = newValue }
    }
    var lastFailure: Duration? {
        get { sources.current.lastFailure }
        set { sources.current.lastFailure = newValue }
    }
    var notBefore: Duration {
        get { sources.current.notBefore }
        set { sources.current.notBefore = newValue }
    }
    var freeTries: Set<Int64> {
        get { sources.current.freeTries }
        set { sources.current.freeTries = newValue }
    }
    var oddAnswers: Set<Int64> {
        get { sources.current.oddAnswers }
        set { sources.current.oddAnswers = newValue }
    }
    var consensus: Consensus {
        get { sources.current.consensus }
        set { sources.current.consensus = newValue }
    }
}

/// The sources as seen from outside.
extension DownloadMachine {
    /// The URLs of the sources as given, the main one first.
    ///
    /// A fetch names its source by its index in this list.
    package var homes: [SourceURL] { sources.ids.map { sources[$0].home } }
}

/// Requests to a source, and the trust in its responses.
extension DownloadMachine {
    /// Sets the focus to the source of an event: that of its fetch, otherwise the primary one.
    mutating func focus(for event: MachineEvent) {
        sources.focus = sources.primary
        switch event {
        case .head(let id, _), .ended(let id, _, _): sources.focus = active[id]?.plan.source ?? sources.primary
        case .begin, .located, .prepared, .reopened, .tick, .consumed, .takenOver, .checkpointed, .verified,
            .piecesChecked,
            .published, .closed, .fileFailed, .described, .host, .stop:
            break
        }
    }

    /// The version that responses are compared with.
    ///
    /// For a source that has not responded yet, that is only the size.
    var knownVersion: KnownVersion? {
        if let version { return version }
        guard !sources.isSingle else { return nil }
        var known = KnownVersion(total: map.total, validators: Validators())
        known.resourceTotal = sources[sources.primary].version?.resourceTotal
        return known
    }

    /// Returns true if bytes from `position` on may be joined with those before them without comparison.
    func isJoinedBlindly(at position: Int64) -> Bool {
        guard sources.current.home.isWeb else { return false }
        let isStrong = sources.current.revealsVersions
        if !sources.isSingle, configuration.isVouchedFor { return true }
        if let contributor = sources.ledger.contributor(before: position) {
            return isStrong && contributor == sources.focus
        }
        // These bytes were left by an earlier run. Its journal keeps the validators of the main source, whatever source
        // delivered the bytes. A date alone does not identify the version either: a copy with the same date may have
        // replaced the file since.
        let mayBeOthers = version?.provenance != .oneSource && !configuration.isVouchedFor
        let hasTag = version?.validators.strongETag != nil || configuration.isVouchedFor
        return isStrong && hasTag && !mayBeOthers && sources.primary == sources.focus
    }

    /// Returns true if a fetch belongs to the source in focus.
    func isOfFocus(_ fetch: ActiveFetch) -> Bool { fetch.plan.source == sources.focus }

    /// Records what an accepted response reveals about its source.
    mutating func learn(_ facts: ResponseFacts, of fetch: ActiveFetch) {
        guard !sources.isSingle else { return }
        if version == nil { version = facts.version }
        if !fetch.plan.isProof { sources.current.isTrusted = true }
    }

    /// Withdraws the trust in a source without a strong validator: nothing shows that its next response is of the same
    /// version, so it must prove itself again.
    mutating func distrustIfWeak() {
        guard !sources.isSingle, !configuration.isVouchedFor, sources.usable.count > 1, phase == .transferring,
            version != nil, !sources.current.revealsVersions
        else { return }
        sources.current.isTrusted = false
    }

    /// Returns the facts as they are recorded in the journal.
    ///
    /// The journal's validators are those of the main source, which the next run asks first. Those of another source
    /// would only mislead it.
    func forJournal(_ facts: ResponseFacts) -> ResponseFacts {
        var facts = facts
        facts.provenance = provenance(revealsVersions: facts.validators.areStrong)
        if sources.primary != 0 { facts.validators = Validators() }
        return facts
    }

    /// Returns the provenance that the journal records for bytes joined from now on, so that the next run knows how far
    /// to trust them.
    ///
    /// - Parameter revealsVersions: True if each response of the main source identifies its version.
    package func provenance(revealsVersions: Bool) -> Provenance {
        if describedAt != nil || sources.ids.contains(where: { sources[$0].isLinked }) { return .unproven }
        if configuration.isVouchedFor { return sources.isSingle && revealsVersions ? .oneSource : .unproven }
        return sources.isSingle ? .oneSource : .compared
    }

    /// Returns the reason why a file of this size is not the wanted one; nil if it may be.
    func objection(to total: Int64?) -> DownloadError? {
        guard let total else { return nil }
        if let expected = configuration.expectedBytes, total != expected {
            return DownloadError(.sourceChanged, "its file has \(total) bytes, expected \(expected)")
        }
        guard let pieces = configuration.pieces, !pieces.fits(total: total) else { return nil }
        return DownloadError(
            .sourceChanged,
            "its file has \(total) bytes, which do not match \(pieces.hashes.count) pieces of \(pieces.length)")
    }

    /// Returns the reason why a response cannot be the file; nil if it may be.
    func objection(to facts: ResponseFacts) -> DownloadError? {
        if let problem = objection(to: facts.total) { return problem }
        guard configuration.failsOnHTML, facts.isWebPage, isBinary(facts) else { return nil }
        return DownloadError(
            .unexpectedStatus, "the server sent a web page, possibly an error or a login page, instead of the file")
    }

    /// Returns true if the file's name shows that it is not a web page.
    private func isBinary(_ facts: ResponseFacts) -> Bool {
        BinaryName.isKnown(
            path ?? FileName.suggested(contentDisposition: facts.contentDisposition, url: configuration.url))
    }

    /// The longest silence allowed for a fetch.
    ///
    /// It is shorter if another source is available.
    var patience: Duration {
        sources.hasAlternative ? min(configuration.idleTimeout, .seconds(5)) : configuration.idleTimeout
    }

    /// Prefers the other sources for a while, because this one delayed them.
    mutating func preferOthers(to id: Int?, now: Duration) {
        guard let id, !sources.isSingle else { return }
        sources[id].slowUntil = now + .seconds(10)
    }
}
