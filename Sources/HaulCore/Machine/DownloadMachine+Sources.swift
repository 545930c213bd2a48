/// What is known of the source in focus, under the names that the rest of the machine uses: with one source there is nothing else.
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

/// The sources from outside.
extension DownloadMachine {
    /// The URLs of the sources as they were given, the main one first: a fetch names its source by the place in this list.
    package var homes: [SourceURL] { sources.ids.map { sources[$0].home } }
}

/// What a source is asked, and what its answers are worth.
extension DownloadMachine {
    /// Puts the source in focus that an event speaks of: that of its fetch, else the lead.
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

    /// What an answer is measured against; of a source that has not answered yet, the size alone.
    var knownVersion: KnownVersion? {
        if let version { return version }
        guard !sources.isSingle else { return nil }
        var known = KnownVersion(total: map.total, validators: Validators())
        known.resourceTotal = sources[sources.primary].version?.resourceTotal
        return known
    }

    /// Whether bytes from `position` on may be joined with those before them without looking at them.
    func isJoinedBlindly(at position: Int64) -> Bool {
        guard sources.current.home.isWeb else { return false }
        let isStrong = sources.current.revealsVersions
        if !sources.isSingle, configuration.isVouchedFor { return true }
        if let contributor = sources.ledger.contributor(before: position) { return isStrong && contributor == sources.focus }
        // An earlier run left these bytes. Its journal keeps the validators of the main source, whoever brought them. Nor does a date alone
        // vouch for them: a copy that keeps its date may have taken the file's place since.
        let mayBeOthers = version?.provenance != .oneSource && !configuration.isVouchedFor
        let hasTag = version?.validators.strongETag != nil || configuration.isVouchedFor
        return isStrong && hasTag && !mayBeOthers && sources.primary == sources.focus
    }

    /// Whether a fetch is of the source in focus.
    func isOfFocus(_ fetch: ActiveFetch) -> Bool { fetch.plan.source == sources.focus }

    /// Remembers what an accepted answer says about its source.
    mutating func learn(_ facts: ResponseFacts, of fetch: ActiveFetch) {
        guard !sources.isSingle else { return }
        if version == nil { version = facts.version }
        if !fetch.plan.isProof { sources.current.isTrusted = true }
    }

    /// Without a strong validator nothing says that the next answer is of the same version: its source has to prove itself again.
    mutating func distrustIfWeak() {
        guard !sources.isSingle, !configuration.isVouchedFor, sources.usable.count > 1, phase == .transferring,
            version != nil, !sources.current.revealsVersions
        else { return }
        sources.current.isTrusted = false
    }

    /// The validators in the journal are those of the main source, which is asked first by the next run; another's would only mislead it.
    func forJournal(_ facts: ResponseFacts) -> ResponseFacts {
        var facts = facts
        facts.provenance = provenance(revealsVersions: facts.validators.areStrong)
        if sources.primary != 0 { facts.validators = Validators() }
        return facts
    }

    /// What the journal has to say of bytes that are joined from now on, so that the next run knows what they are worth.
    ///
    /// - Parameter tellsVersions: Whether the main source says of each of its answers which version it is of.
    package func provenance(revealsVersions: Bool) -> Provenance {
        if describedAt != nil || sources.ids.contains(where: { sources[$0].isLinked }) { return .unproven }
        if configuration.isVouchedFor { return sources.isSingle && revealsVersions ? .oneSource : .unproven }
        return sources.isSingle ? .oneSource : .compared
    }

    /// Why a file of this size is not the one that is wanted; nil where it is.
    func objection(to total: Int64?) -> DownloadError? {
        guard let total else { return nil }
        if let expected = configuration.expectedBytes, total != expected {
            return DownloadError(.sourceChanged, "its file has \(total) bytes where \(expected) are expected")
        }
        guard let pieces = configuration.pieces, !pieces.fits(total: total) else { return nil }
        return DownloadError(
            .sourceChanged,
            "its file has \(total) bytes, which are not \(pieces.hashes.count) pieces of \(pieces.length)")
    }

    /// Why a response can't be the file; nil where it may be.
    func objection(to facts: ResponseFacts) -> DownloadError? {
        if let problem = objection(to: facts.total) { return problem }
        guard configuration.failsOnHTML, facts.isWebPage, isBinary(facts) else { return nil }
        return DownloadError(
            .unexpectedStatus, "the server sends a web page, perhaps an error or a login, instead of the file")
    }

    /// Whether the file's name says that it is no web page.
    private func isBinary(_ facts: ResponseFacts) -> Bool {
        BinaryName.isKnown(
            path ?? FileName.suggested(contentDisposition: facts.contentDisposition, url: configuration.url))
    }

    /// The longest silence of a fetch: shorter where another source could be asked instead.
    var patience: Duration {
        sources.hasAlternative ? min(configuration.idleTimeout, .seconds(5)) : configuration.idleTimeout
    }

    /// A source held up the others: they are preferred for a while.
    mutating func preferOthers(to id: Int?, now: Duration) {
        guard let id, !sources.isSingle else { return }
        sources[id].slowUntil = now + .seconds(10)
    }
}
