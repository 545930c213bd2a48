/// The links of a response, and the URL that they are relative to.
struct LinkedPage: Hashable, Sendable {
    /// The URL of the response.
    var url: SourceURL
    /// The links in the response.
    var links: ServerLinks
}

/// Mirrors named by a server, and the Metalink document that it names for the file (RFC 6249).
///
/// They are used only if a checksum of the whole file decides at the end: comparing a mirror's bytes proves little, and
/// the user has not chosen these mirrors. A document counts only if it is from the origin that named it: its checksum
/// then has the same value as one in that server's response header.
extension DownloadMachine {
    /// The maximum number of sources of a download, including those named by servers.
    private static let maxSources = 64
    /// The minimum file size for fetching a document.
    ///
    /// A smaller file fits one response, and the document would take longer than the file.
    private static let minDescribed: Int64 = 256 << 10

    /// True if mirrors named by a server may be added: a checksum decides at the end, and the next run will know it as
    /// well, or know that one is required.
    private var takesMirrors: Bool {
        configuration.isVouchedFor || headerChecksum != nil && configuration.mirrors.isEmpty
    }

    /// Adds the mirrors named by the first response and the redirects before it, after those named by the caller.
    mutating func addMirrors(_ facts: ResponseFacts, of plan: FetchPlan) {
        guard configuration.usesLinkedMirrors, facts.ranges != .refused, let total = facts.total else { return }
        let pages = pages(facts, of: plan)
        for page in pages where takesMirrors {
            for mirror in page.links.mirrors {
                guard let target = try? page.url.resolving(mirror.reference) else { continue }
                add(target, namedBy: page.url, priority: mirror.priority)
            }
        }
        describe(by: pages, of: plan, total: total)
    }

    /// Requests the document that a response to a resumed download names: such a download has no first request, whose
    /// response would have named it.
    ///
    /// Mirrors in the response itself are not added, because the journal does not say that only a checksum can verify
    /// the bytes.
    mutating func describeResumed(_ facts: ResponseFacts, of plan: FetchPlan) {
        guard isUndescribed(plan.source), plan.ask.usesRange, facts.ranges != .refused, let total = map.total
        else { return }
        let pages = pages(facts, of: plan)
        describe(by: pages, of: plan, total: total)
    }

    /// The maximum number of redirects whose links are kept: each attempt may be redirected to another URL.
    private static let maximumHops = 16

    /// Keeps the links in a redirect on the way to the first response, or to one that resumes a download.
    mutating func keepLinks(_ links: ServerLinks, of plan: FetchPlan) {
        let page = LinkedPage(url: plan.url, links: links)
        guard phase == .probing || isUndescribed(plan.source), !links.areEmpty,
            hops.count < Self.maximumHops, !hops.contains(page)
        else { return }
        hops.append(page)
    }

    /// Returns true if a source defines the bytes of an earlier run that this one continues, and no response has named a
    /// document for them.
    private func isUndescribed(_ source: SourceID) -> Bool {
        configuration.usesLinkedMirrors && phase == .transferring && resumedBytes > 0 && document == nil
            && source == sources.definer
    }

    /// Returns a response with the redirects before it.
    private mutating func pages(_ facts: ResponseFacts, of plan: FetchPlan) -> [LinkedPage] {
        hopToLinks = (plan.way + [plan.url]).first { !$0.isSecure }
        return hops + [LinkedPage(url: plan.url, links: facts.links)]
    }

    private mutating func add(_ target: SourceURL, namedBy url: SourceURL, priority: Int) {
        guard canAdd(target, namedBy: url) else { return }
        sources.add(target, priority: priority + 1, isLinked: true)
        sources[SourceID(sources.ids.count - 1)].wasNamed(through: hopToLinks)
    }

    /// Returns true if a URL that a server names is not a source yet, and may be one.
    private func canAdd(_ target: SourceURL, namedBy url: SourceURL) -> Bool {
        // The credentials of one URL are not sent to another that the server names, and a web server cannot refer to a
        // file server.
        URLOrigin.isWeb(target.origin.scheme) && configuration.redirects.admits(target, from: url)
            && (target.origin == url.origin || target.credentials == nil) && sources.ids.count < Self.maxSources
            && !homes.contains(target)
    }

    /// Requests, once, the first document that is from the origin of the response that names it.
    private mutating func describe(by pages: [LinkedPage], of plan: FetchPlan, total: Int64) {
        guard total > Self.minDescribed, document == nil, configuration.window == nil,
            configuration.streamWindow == nil
        else { return }
        let hopWithoutTLS = plan.way.first { !$0.isSecure }
        for page in pages {
            for reference in page.links.descriptions {
                guard let target = try? page.url.resolving(reference), target.origin == page.url.origin else {
                    continue
                }
                document = LinkedDocument(
                    request: .describe(target, hopWithoutTLS: hopWithoutTLS), source: plan.source, restarts: restarts)
                return requestDocument()
            }
        }
    }

    private mutating func requestDocument() {
        guard let request = document?.request else { return }
        document?.restarts = restarts
        document?.state = .awaited
        effects.append(.network(request))
    }

    /// Requests the document again if bytes wait for it and the pause after the last failure is over.
    mutating func repeatDocumentRequest(now: Duration) {
        guard case .describing = phase, case .repeated(let time)? = document?.state, now >= time else { return }
        requestDocument()
    }

    /// True if the document may provide a checksum: it is awaited, has come with one, or could not be read yet.
    var mayBeDescribed: Bool {
        switch document?.state {
        case .awaited, .repeated, .answered(.failure): true
        case .answered(.success(let description)): description?.checksum != nil
        case .addingSources, .used, nil: false
        }
    }

    /// Handles a received document, its absence, or the failure to read it.
    ///
    /// Its checksum is used if no other is known, and its sources are added: at once, or when the first segment is
    /// fetched. Before the first byte of such a source, the journal must say that only a checksum can verify the bytes.
    /// Until then it says that they are of one source, so that a document alone doesn't prevent resuming.
    mutating func didReceive(
        _ answer: Result<FileDescription?, DownloadError>, now: Duration,
        using generator: inout some RandomNumberGenerator
    ) {
        document?.state = .answered(answer)
        switch (phase, answer) {
        case (.describing, .failure(let error)): documentFailed(error, now: now, using: &generator)
        case (.describing(let pieces), .success): resumeDescribed(pieces, now: now)
        default:
            useDescription()
            proceed(now: now)
        }
    }

    /// Uses the document that has come, if the segments are fetched now.
    mutating func useDescription() {
        guard phase == .transferring, case .answered(let answer)? = document?.state else { return }
        document?.state = .used
        guard case .success(let description?) = answer, describesFile(description) else { return }
        useChecksum(of: description)
        addMirrors(in: description)
    }

    /// Waits for the document, unless it has come meanwhile.
    mutating func awaitDescription(for pieces: [Located.Piece], now: Duration) {
        phase = .describing(pieces)
        switch document?.state {
        case .awaited: return
        case .answered(.failure): requestDocument()
        case .answered(.success), .repeated, .addingSources, .used, nil: resumeDescribed(pieces, now: now)
        }
    }

    /// Requests the document again later, or gives up: the bytes that only its checksum can verify are kept.
    private mutating func documentFailed(
        _ error: DownloadError, now: Duration, using generator: inout some RandomNumberGenerator
    ) {
        let failures = (document?.failures ?? 0) + 1
        document?.failures = failures
        let message = "can't read the Metalink that the server names for the file: \(error.message)"
        guard let delay = configuration.retry.delay(attempt: failures, using: &generator) else {
            let rest = "the partial file is kept; only a checksum can verify it"
            return fail(
                DownloadError(error.code, "\(message); \(rest)", cause: error.cause).of(status: error.status), now: now)
        }
        document?.state = .repeated(at: now + delay)
        let reason = DownloadError(error.code, message, cause: error.cause).of(status: error.status)
        effects.append(.emit(.waiting(.retrying(reason, attempt: failures), seconds: delay.seconds)))
    }

    /// Resumes pieces that only a checksum can verify, if the document has one; otherwise the file starts again.
    private mutating func resumeDescribed(_ pieces: [Located.Piece], now: Duration) {
        let total = sources[sources.primary].version?.total
        guard document?.restarts == restarts, case .answered(.success(let description?))? = document?.state,
            description.totalBytes ?? total == total
        else { return startWithoutDigest(now: now) }
        useChecksum(of: description)
        guard wanted != nil else { return startWithoutDigest(now: now) }
        didDrain(.resume(pieces), now: now)
    }

    private mutating func startWithoutDigest(now: Duration) {
        document?.state = .used
        effects.append(.emit(.notice(Self.lacksDigest)))
        probe(now: now)
    }

    /// Uses the checksum in a document if no other is known.
    private mutating func useChecksum(of description: FileDescription) {
        guard wanted == nil, headerChecksum == nil, configuration.pieces == nil, configuration.usesHeaderChecksum,
            let checksum = description.checksum
        else { return }
        describedChecksum = FoundChecksum(checksum, .header(name: "Link", host: description.url.host))
        hashed = checksum.algorithm
        effects.append(.digest(.algorithm(hashed)))
    }

    /// Adds the sources in a document once the journal says that only a checksum can verify the bytes.
    private mutating func addMirrors(in description: FileDescription) {
        guard !map.isComplete,
            usableMirrors(in: description).contains(where: { canAdd($0.url, namedBy: description.url) })
        else { return }
        document?.state = .addingSources(of: description)
        effects.append(.content(.distrust))
    }

    /// Adds the sources in a document, now that the journal says that only a checksum can verify the bytes.
    mutating func didDistrust(now: Duration) {
        guard case .addingSources(let description)? = document?.state else { return }
        document?.state = .used
        guard describesFile(description) else { return }
        let mixedBefore = sources.mayMix
        for mirror in usableMirrors(in: description) {
            add(mirror.url, namedBy: description.url, priority: mirror.priority)
        }
        // The existing bytes are from this source, and it has responded.
        if !mixedBefore, sources.mayMix { sources[.main].isTrusted = true }
        proceed(now: now)
    }

    /// Returns true if a document describes the file that is being fetched.
    ///
    /// If the file has changed since the document was requested, it may describe the old version; if the file was started
    /// again from another source, that of the first one.
    private func describesFile(_ description: FileDescription) -> Bool {
        guard phase == .transferring, document?.restarts == restarts, document?.source == sources.definer,
            let total = map.total
        else { return false }
        return description.totalBytes ?? total == total
    }

    /// Returns the sources in a document that may be used: those for which a checksum decides at the end.
    private func usableMirrors(in description: FileDescription) -> [MachineConfiguration.MirrorURL] {
        let isDescribed = description.checksum != nil && configuration.usesHeaderChecksum
        return takesMirrors || isDescribed && configuration.mirrors.isEmpty ? description.mirrors : []
    }
}

/// The document that a server names for the file, and its use.
struct LinkedDocument: Sendable {
    /// The progress of its use.
    enum State: Sendable {
        /// It is awaited.
        case awaited
        /// It has come, there is none, or it could not be read: used when the first segment is fetched, or before it by
        /// the bytes that wait for it.
        case answered(Result<FileDescription?, DownloadError>)
        /// It could not be read, and is requested again at this time.
        case repeated(at: Duration)
        /// Its sources are added once the journal says that only a checksum can verify the bytes.
        case addingSources(of: FileDescription)
        /// Nothing more is expected from it.
        case used
    }

    /// The request for it.
    let request: NetworkEffect
    /// The source whose response named it.
    let source: SourceID
    /// The value of the machine's `restarts` when it was requested.
    var restarts: Int
    var state = State.awaited
    /// The number of times that it could not be read although bytes waited for it.
    var failures = 0

    /// Adds none of its sources, because the file starts again.
    mutating func dropSources() { if case .addingSources = state { state = .used } }
}

/// A document's description of the file.
package struct FileDescription: Hashable, Sendable {
    /// The URL of the document.
    package var url: SourceURL
    /// The URLs of the file, best first.
    package var mirrors: [MachineConfiguration.MirrorURL]
    /// The checksum that the file must have.
    package var checksum: Checksum?
    /// The size that the file must have.
    package var totalBytes: Int64?

    /// Creates a description.
    package init(url: SourceURL, mirrors: [MachineConfiguration.MirrorURL], checksum: Checksum?, totalBytes: Int64?) {
        self.url = url
        self.mirrors = mirrors
        self.checksum = checksum
        self.totalBytes = totalBytes
    }
}
