/// The state machine of one download, from its first request to its final name: events in, effects out.
///
///     idle ─ locating ─┬─ probing ─ preparing ─┬─ transferring ─ draining ─ verifying ─ publishing ─ ended
///                      ├────── reopening ──────┘        │  ▲        │
///                      └─ proving ─┘                    │  │        │
///                                                       └──┴────────┴─ closing ─ ended
///
/// Before `reopening`, a document that describes the file may be awaited (`describing`).
///
/// It never waits, reads no clock and generates no random numbers of its own; `now` counts from any fixed instant. An
/// event that does not fit the phase changes nothing, so late responses are harmless.
package struct DownloadMachine: Sendable {
    /// The parameters of the download.
    package let configuration: MachineConfiguration
    /// The current phase.
    package internal(set) var phase: MachinePhase = .idle
    /// The segments of the file.
    package internal(set) var map = SegmentMap(total: nil)
    /// The outcome; nil until the download has ended.
    package internal(set) var result: Result<FinishFacts, DownloadError>?

    var effects: [MachineEffect] = []
    /// The running fetches.
    var fetches = FetchTable()
    /// The sources of the download, with all state that concerns one source alone (see `DownloadMachine+Sources`).
    var sources: SourcePool
    let planner: SegmentPlanner

    var path: String?
    /// The file of another program that has become the partial file in this run; nil if none has, or if its bytes were
    /// replaced since.
    var adopted: AdoptedFile?
    /// True if the bytes of an unfinished file are kept, because there is a journal for them.
    var keepsBytes = false
    var modified: Int64?
    /// True if the file begins as a web page, by the media type of its first response, or by its bytes on disk.
    var beginsAsPage = false
    /// True if the last response that began the file was text, by its media type.
    var beginsAsText = false
    /// The data that a new start would replace, found or received in this run; nil if there is none.
    var former: FormerBytes?
    /// True if only a checksum can verify the bytes of an earlier run that this one continues, as their journal says.
    var continuesUnproven = false
    /// The versions of the file that each source was seen to have: equal tags of two sources prove nothing.
    var seen = SeenVersionsOfSources()
    /// The kind of the next first request.
    var firstRequest = FirstRequest.file
    /// The existing bytes of a file whose size the next first request asks for.
    var unmeasured: Unmeasured?
    /// The digest in the header of this version's first response.
    var headerChecksum: FoundChecksum?
    /// The source that sent it.
    var digestSource = SourceID.main
    /// True if a response was examined for its digest: later ones are not.
    var hasReadDigest = false
    /// The links in the redirects that led to the first response, or to those that resume a download.
    var hops: [LinkedPage] = []
    /// A URL without TLS on the way to the first response or to one that resumes a download, or its own; nil if there is
    /// none.
    var hopToLinks: SourceURL?
    /// The document that describes the file; nil if no response has named one.
    var document: LinkedDocument?
    /// The digest of this version in that document.
    var describedChecksum: FoundChecksum?
    /// The digest that is being computed.
    var hashed: Checksum.Algorithm?
    /// The latency of the last response.
    var lastLatency: Duration = .zero
    var isCheckpointing = false
    var lastCheckpoint: (time: Duration, bytes: Int64) = (.zero, 0)

    var stragglers = StragglerPolicy()
    /// Judges the speed of all connections together; nil if there is no minimum.
    var floor: SpeedFloor?
    var tails = TailPolicy()
    /// The number of times that corrupt pieces were fetched again.
    var pieceRounds = 0
    /// The number of bytes in the last fetch that added anything, including compared bytes.
    var lastGain: Int64 = .max
    /// The offsets at which a response broke, or no more of it came.
    var brokenEnds: Set<Int64> = []
    var restarts = 0
    /// True if a request that is not a plain GET was sent, and the server may have carried it out.
    var mayBeCarriedOut = false
    /// The number of times that the file was not found.
    var notFounds = 0
    /// The status of the response being handled, for the errors that result from it.
    var responded: Int?
    /// The final checks that a file server's bytes still need; nil before the first of them is determined.
    var unlooked: [Look]?
    var startTime: Duration = .zero
    var lastProgress: Duration?
    var sessionBytes: Int64 = 0
    /// The most bytes ever written of this version: only more than that counts as progress.
    var farthest: Int64 = 0
    var resumedBytes: Int64 = 0
    /// True if only samples of these bytes were compared.
    var wasSampled = false
    /// The offset up to which the receiver of a stream has consumed.
    var consumed: Int64 = 0
    var hasStarted = false
    var meter = SpeedMeter()

    /// Creates a machine in the phase `idle`.
    package init(_ configuration: MachineConfiguration) {
        self.configuration = configuration
        sources = SourcePool(configuration)
        planner = SegmentPlanner(smallestPart: configuration.tuning.smallestPart)
        hashed = configuration.checksum?.algorithm
        floor = configuration.transfer.minSpeed.map { SpeedFloor($0) }
    }

    /// Handles one event, and returns the resulting effects in order.
    package mutating func handle(
        _ event: MachineEvent, now: Duration, using generator: inout some RandomNumberGenerator
    ) -> [MachineEffect] {
        switch event {
        case .begin: begin(now: now)
        case .located(let located): didLocate(located, now: now)
        case .head(let fetch, let decision): didReceiveHead(fetch, decision, now: now)
        case .prepared(let located): didPrepare(located, now: now, using: &generator)
        case .reopened: didReopen(now: now)
        case .tick(let samples): didTick(samples, now: now)
        case .takenOver(let fetch, let segment, let offset, let granted):
            didTakeOver(fetch, segment, at: offset, granted: granted, now: now)
        case .ended(let fetch, let position, let end): didEnd(fetch, at: position, end, now: now, using: &generator)
        case .checkpointed: isCheckpointing = false
        case .distrusted: didDistrust(now: now)
        case .consumed(let offset): didConsume(offset, now: now)
        case .verified(let hex, let joinsDiffer): didVerify(hex, joinsDiffer: joinsDiffer, now: now)
        case .piecesChecked(let bad): didCheckPieces(bad, now: now)
        case .published(let path): didPublish(path, now: now)
        case .closed: didClose()
        case .fileFailed(let error): fail(error, now: now)
        case .described(let answer): didReceive(answer, now: now, using: &generator)
        case .host(let number, let quota): didReceive(quota, ofHost: number, now: now)
        case .stop: fail(.stopped(resumption), now: now)
        }
        reportToHosts(now: now)
        defer { effects = [] }
        return effects
    }

    private mutating func begin(now: Duration) {
        guard phase == .idle else { return }
        startTime = now
        lastCheckpoint.time = now
        phase = .locating
        effects.append(.content(.locate))
    }

    private mutating func didLocate(_ located: Located, now: Duration) {
        guard phase == .locating else { return }
        switch located {
        case .unnamed: probe(now: now)
        case .present(let time):
            if configuration.form.isGet, sources[sources.primary].currentURL.isWeb {
                firstRequest = .ifModified(since: time)
            }
            probe(now: now)
        case .fresh(let path):
            self.path = path
            probe(now: now)
        case .resumable(let path, let version, let pieces):
            (former, beginsAsPage) = (FormerBytes(version, pieces), version.beginsLikePage)
            keepsBytes = true
            seen[sources.describer(of: version) ?? sources.primary].addExisting(version, pieces)
            if version.total == nil || needsDigest(version) { return measure(path, version, pieces, now: now) }
            if objection(to: version.total) != nil { return probe(now: now) }
            reopen(path, version, pieces, now: now)
        case .provable(_, let version, _) where needsDigest(version): fail(Self.lacksDigestOfOther, now: now)
        case .provable(let path, let version, let pieces): prove(path, version, pieces, .otherSource, now: now)
        case .adoptable(let path, let file, let version, let pieces):
            prove(path, version, pieces, .otherProgram(file), now: now)
        case .kept(let path, let size, let isSame): keep(path, size: size, isSame: isSame, now: now)
        case .published(let path, let size): leave(path, size: size, verification, kept: false, now: now)
        }
    }

    /// Requests the file from its start; the response provides the facts.
    ///
    /// - Parameter replaced: The data that a new start replaces; nil: what was fetched, if anything was.
    mutating func probe(replacing replaced: FormerBytes? = nil, now: Duration) {
        phase = .probing
        if map.written > 0 {
            let version = sources[sources.definer].version ?? KnownVersion(total: map.total, validators: Validators())
            former = replaced ?? FormerBytes(version: version, count: map.written)
            seen[sources.definer].addExisting(version, bytes: map.contiguousPrefix)
        }
        map = SegmentMap(total: nil)
        hasReadDigest = false
        // The file starts again: only the main source's digest applies to the others' files.
        if digestSource != .main { (headerChecksum, describedChecksum) = (nil, nil) }
        unlooked = nil
        hops = []
        document?.dropSources()
        forgetSources(now: now)
        let source = sources.primary
        guard now >= sources[source].notBefore, hasTargetPath(at: source, now: now), mayRequest(now: now) else {
            return
        }
        startFetch(segment: nil, from: source, now: now)
    }

    /// Returns the map of the bytes that an earlier run left.
    ///
    /// If an offset may have been used to fetch them, every piece keeps its start.
    func resumed(_ pieces: [Located.Piece], of version: KnownVersion) -> SegmentMap {
        SegmentMap(
            total: version.total ?? 0, resuming: pieces.map { ($0.start, $0.position) },
            joins: sources.ids.allSatisfy { sources[$0].home.isWeb })
    }

    mutating func reopen(_ path: String, _ version: KnownVersion, _ found: [Located.Piece], now: Duration) {
        self.path = path
        let describer = sources.describer(of: version)
        sources.primary = describer ?? sources.primary
        sources.definer = sources.primary
        sources[sources.primary].version =
            describer == nil ? KnownVersion(total: version.total, validators: Validators()) : version
        if sources.mayMix, !configuration.isVouchedFor, let describer { sources.expectConfirmation(by: describer) }
        var kept = found
        if !sources[sources.primary].revealsVersions, !configuration.isVouchedFor {
            // Only adjacent bytes can be compared with a new response. If there are others, which several sources left, a
            // source must prove all of them first; otherwise only the first stretch is resumed.
            let contiguousPrefix = SegmentMap(total: version.total ?? 0, resuming: kept.map { ($0.start, $0.position) })
                .segments[0].position
            let mayProve = version.provenance == .compared && sources[sources.primary].usesRanges
            if mayProve, describer == nil || kept.contains(where: { $0.start > contiguousPrefix }) {
                return prove(
                    path, version, withDoubtfulJoins(kept, total: version.total), .severalSources, now: now)
            }
            kept.removeAll { $0.start >= contiguousPrefix }
        }
        continuesUnproven = version.provenance == .unproven
        if !hasToBeVouchedFor { kept = withDoubtfulJoins(kept, total: version.total) }
        map = resumed(kept, of: version)
        resumedBytes = map.written
        farthest = map.written
        keepsBytes = configuration.resumes
        phase = .reopening
        var recorded = version
        recorded.provenance = max(
            version.provenance, provenance(revealsVersions: sources[sources.primary].revealsVersions))
        let source = sources[sources.primary]
        let keepsRest = !source.usesRanges && (source.revealsVersions || configuration.isVouchedFor)
        effects.append(.content(.resume(recorded, map, keepsRest: keepsRest)))
    }

    /// Returns the pieces without the last byte of each one that ends where the next one begins.
    ///
    /// One of the two may be of a response that was cut off there, and was wrong before. The request for that byte
    /// compares those before it. So does the request that follows a piece before a gap; the last byte of the file is
    /// requested for the same reason, unless there is only one piece, which the request after it compares.
    private func withDoubtfulJoins(_ pieces: [Located.Piece], total: Int64?) -> [Located.Piece] {
        var pieces = pieces.sorted { $0.start < $1.start }
        for index in pieces.indices.dropLast() {
            let next = pieces[index + 1].start
            if pieces[index].position >= next, next - pieces[index].start > 1 { pieces[index].position = next - 1 }
        }
        if let last = pieces.last, last.start > 0, last.position == total, last.position - last.start > 1 {
            pieces[pieces.count - 1].position -= 1
        }
        return pieces
    }

    private mutating func didReopen(now: Duration) {
        guard phase == .reopening else { return }
        phase = .transferring
        useDescription()
        sources[sources.primary].isTrusted = true
        // Without ranges there would be one piece.
        if map.segments.count > 1 { sources[sources.primary].promisesRanges = true }
        // The existing bytes may turn out to be unusable. That is known when the rest arrives, if there is any.
        if map.isComplete { announce() }
        proceed(now: now)
    }

    /// Reports, once, the path and size of the file, and the number of existing bytes that are used.
    mutating func announce() {
        guard !hasStarted, let path else { return }
        hasStarted = true
        let facts = StartFacts(
            path: path, totalBytes: map.total, resumedBytes: resumedBytes, insecure: configuration.insecure)
        effects.append(.emit(.started(facts)))
        if beginsAsPage, BinaryName.isNoPage(path) { effects.append(.emit(.notice(.webPage))) }
    }
}
