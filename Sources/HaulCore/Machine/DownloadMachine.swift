/// One download's way from its first request to its final name: event in, effects out.
///
///     idle ─ locating ─┬─ probing ─ preparing ─┬─ transferring ─ draining ─ verifying ─ publishing ─ ended
///                      ├────── reopening ──────┘        │  ▲        │
///                      └─ proving ─┘                    │  │        │
///                                                       └──┴────────┴─ closing ─ ended
///
/// It never waits, reads no clock and draws no chance of its own; `now` counts from any fixed instant. An event that does not fit the
/// phase changes nothing, so late answers are harmless.
package struct DownloadMachine: Sendable {
    /// What was asked for.
    package let configuration: MachineConfiguration
    /// Where it is.
    package internal(set) var phase: MachinePhase = .idle
    /// The segments.
    package internal(set) var map = SegmentMap(total: nil)
    /// How it ended; nil before.
    package internal(set) var result: Result<FinishFacts, DownloadError>?

    var effects: [MachineEffect] = []
    var active: [Int: ActiveFetch] = [:]
    var nextFetch = 1
    /// Where it comes from; what follows of one source alone stands in it (see `DownloadMachine+Sources`).
    var sources: SourceTable
    let planner: SegmentPlanner

    var path: String?
    var modified: Int64?
    /// Whether the last response was a web page by its media type.
    var isWebPage = false
    /// The pieces of a partial that was found by the name that the server gave.
    var pendingPieces: [Located.Piece] = []
    /// What the next first request asks for.
    var firstRequest = FirstRequest.file
    /// What is there of a file whose size the next first request asks for.
    var unmeasured: Unmeasured?
    /// The first fetch, if it broke before the file was opened for it, and how.
    var endedUnattached: (fetch: ActiveFetch, end: FetchEnd)?
    /// What a new source still has to prove.
    var proof: SourceProof?
    /// The digest that the header of this version's first answer told.
    var headerChecksum: FoundChecksum?
    /// The source that said it.
    var digestSource = 0
    /// Whether an answer was asked for its digest: those that come later are not.
    var hasReadDigest = false
    /// What answers on the way to the first one, redirects, said of the file.
    var hops: [LinkedPage] = []
    /// With how many restarts the document that describes the file was asked for; nil: none was.
    var describedAt: Int?
    /// The digest that it told of this version.
    var describedChecksum: FoundChecksum?
    /// The digest that is being computed.
    var hashed: Checksum.Algorithm?
    /// How long the last answer was waited for.
    var lastLatency: Duration = .zero
    /// How often a connection was past what another one was asked for.
    var overruns = 0
    /// The fetch whose end is being lowered.
    var pendingTakeOver: Int?
    var isCheckpointing = false
    var lastCheckpoint: (time: Duration, bytes: Int64) = (.zero, 0)

    var stragglers = StragglerPolicy()
    /// Judges the speed of all connections; nil: any will do.
    var floor: SpeedFloor?
    var tails = TailPolicy()
    /// How often bad pieces were fetched again.
    var pieceRounds = 0
    /// What the last fetch that added anything brought, compared bytes included.
    var lastGain: Int64 = .max
    var restarts = 0
    /// How often the file was not found.
    var notFounds = 0
    /// The status of the response that is being reacted to, for the errors that follow from it.
    var responded: Int?
    /// Where a file server's bytes are still to be compared at the end; nil before that.
    var unlooked: [Look]?
    var startTime: Duration = .zero
    var lastProgress: Duration?
    var sessionBytes: Int64 = 0
    /// The most that was ever written of this version: only more than that is progress.
    var farthest: Int64 = 0
    var resumedBytes: Int64 = 0
    /// What the receiver of a stream is done with.
    var consumed: Int64 = 0
    var hasStarted = false
    var meter = SpeedMeter()

    /// Makes a machine that has not begun.
    package init(_ configuration: MachineConfiguration) {
        self.configuration = configuration
        sources = SourceTable(configuration)
        planner = SegmentPlanner(smallestPart: configuration.tuning.smallestPart)
        hashed = configuration.checksum?.algorithm
        floor = configuration.minSpeed.map { SpeedFloor($0) }
    }

    /// Takes one event and says what to do, in order.
    package mutating func handle(
        _ event: MachineEvent, now: Duration, using generator: inout some RandomNumberGenerator
    ) -> [MachineEffect] {
        focus(for: event)
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
        case .consumed(let offset): didConsume(offset, now: now)
        case .verified(let hex): didVerify(hex, now: now)
        case .piecesChecked(let bad): didCheckPieces(bad, now: now)
        case .published(let path): didPublish(path, now: now)
        case .closed: didClose()
        case .fileFailed(let error): fail(error, now: now)
        case .described(let description): didReceive(description, now: now)
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
            if currentURL.isWeb { firstRequest = .ifModified(since: time) }
            probe(now: now)
        case .fresh(let path):
            self.path = path
            probe(now: now)
        case .resumable(let path, let version, let pieces):
            if version.total == nil || needsDigest(version) { return measure(path, version, pieces, now: now) }
            if objection(to: version.total) != nil { return probe(now: now) }
            reopen(path, version, pieces)
        case .provable(_, let version, _) where needsDigest(version): fail(Self.lacksDigestOfOther, now: now)
        case .provable(let path, let version, let pieces): prove(path, version, pieces, now: now)
        case .adoptable(let path, let file, let version, let pieces):
            prove(path, version, pieces, foreign: file, now: now)
        case .kept(let path, let size, let isSame): keep(path, size: size, isSame: isSame, now: now)
        case .published(let path, let size): leave(path, size: size, verification, kept: false, now: now)
        }
    }

    /// Asks for the file from its start; the answer tells what there is to know.
    mutating func probe(now: Duration) {
        phase = .probing
        map = SegmentMap(total: nil)
        hasReadDigest = false
        unlooked = nil
        hops = []
        forgetSources(now: now)
        guard now >= notBefore, hasTargetPath(now: now) else { return }
        startFetch(segment: nil, now: now)
    }

    /// What an earlier run left; where an offset may have brought it, every piece begins where it began.
    func resumed(_ pieces: [(start: Int64, position: Int64)], of version: KnownVersion) -> SegmentMap {
        SegmentMap(
            total: version.total ?? 0, resuming: pieces, joins: sources.ids.allSatisfy { sources[$0].home.isWeb })
    }

    mutating func reopen(_ path: String, _ version: KnownVersion, _ pieces: [Located.Piece]) {
        self.path = path
        self.version = version
        var kept = pieces.map { ($0.start, $0.position) }
        if !sources.current.revealsVersions, !configuration.isVouchedFor {
            // Only bytes that touch can be compared with a new answer, so only the first stretch is gone on from.
            let contiguousPrefix = SegmentMap(total: version.total ?? 0, resuming: kept).segments[0].position
            kept.removeAll { $0.0 >= contiguousPrefix }
        }
        map = resumed(kept, of: version)
        resumedBytes = map.written
        farthest = map.written
        phase = .reopening
        var recorded = version
        recorded.provenance = max(version.provenance, provenance(revealsVersions: sources.current.revealsVersions))
        effects.append(.content(.resume(recorded, map)))
    }

    private mutating func didReopen(now: Duration) {
        guard phase == .reopening else { return }
        phase = .transferring
        sources.current.isTrusted = true
        // Without ranges there would be one piece.
        if map.segments.count > 1 { sources.current.promisesRanges = true }
        // What is there may turn out to be of no use: that is known when the rest of it comes, if there is any.
        if map.isComplete { announce() }
        proceed(now: now)
    }

    /// Reports once where the file goes, how large it is, and how much of it is used that was there.
    mutating func announce() {
        guard !hasStarted, let path else { return }
        hasStarted = true
        let facts = StartFacts(
            path: path, totalBytes: map.total, resumedBytes: resumedBytes, insecure: configuration.insecure)
        effects.append(.emit(.started(facts)))
        if isWebPage, BinaryName.isKnown(path) { effects.append(.emit(.notice(.webPage))) }
    }
}
