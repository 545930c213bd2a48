import HaulCore
import HaulTestData
import Testing

/// Drives a machine by hand: keeps time and chance, and remembers what is under way.
struct MachineDriver {
    var machine: DownloadMachine
    var now: Duration = .zero
    var plans: [Int: FetchPlan] = [:]
    var events: [TransferEvent] = []
    /// What the hosts were told.
    var news: [HostReport] = []
    /// How far digests and a stream were told to go.
    var contiguousPrefix: Int64?
    /// Whether take-overs are left to the test instead of being granted.
    var holdsTakeOvers = false
    private var generator = SeededGenerator(seed: 1)

    init(connections: ConnectionLimit = .fixed(1), _ change: (inout DownloadSpec) -> Void = { _ in }) throws {
        var spec = DownloadSpec(url: "http://host/file", destination: .file(path: "/tmp/f"))
        spec.connections = connections
        change(&spec)
        machine = DownloadMachine(try MachineConfiguration(spec))
    }

    /// Gives one event and returns the effects, told events left out; take-overs are granted at once.
    @discardableResult
    mutating func give(_ event: MachineEvent) -> [MachineEffect] {
        var others: [MachineEffect] = []
        if case .ended(let id, _, _) = event { plans[id] = nil }
        for effect in machine.handle(event, now: now, using: &generator) {
            switch effect {
            case .emit(let reported): events.append(reported)
            case .network(.fetch(let plan)):
                plans[plan.id] = plan
                others.append(effect)
            case .network(.takeOver) where holdsTakeOvers: others.append(effect)
            case .network(.takeOver(let fetch, let segment, let offset)):
                others += give(.takenOver(fetch: fetch, segment: segment, at: offset, granted: true))
            case .digest(.contiguousPrefix(let offset)): contiguousPrefix = offset
            case .host(_, let reported): news.append(reported)
            default: others.append(effect)
            }
        }
        return others
    }

    /// The running fetches, oldest first.
    var running: [FetchPlan] { plans.values.sorted { $0.id < $1.id } }

    /// Begins a fresh download, lets each try end as `attempt` has it, a minute apart, and counts the tries.
    mutating func triesUntilEnd(_ attempt: (inout MachineDriver) throws -> Void) rethrows -> Int {
        give(.begin)
        give(.located(.fresh(path: "/tmp/f")))
        var tries = 0
        while machine.result == nil, tries < 20 {
            tries += 1
            try attempt(&self)
            if machine.result == nil { pass(.seconds(60)) }
        }
        return tries
    }

    /// Begins a fresh download whose first answer brings a file of `total` bytes and shows that there are ranges, or something else.
    mutating func start(total: Int64, etag: String? = "\"v1\"", _ ranges: RangeSupport = .shown) throws {
        give(.begin)
        give(.located(.fresh(path: "/tmp/f")))
        var facts = ResponseFacts(offset: 0, end: total, total: total, validators: Validators(etag: etag))
        facts.ranges = ranges
        let probe = try #require(running.first)
        var reported = facts
        reported.provenance = machine.provenance(revealsVersions: facts.validators.areStrong)
        #expect(give(.head(fetch: probe.id, .take(facts))) == [.content(.prepare(reported))])
        give(.prepared(.fresh(path: "/tmp/f")))
    }

    /// Begins on a partial of which two pieces are there, under a strong validator.
    mutating func resume(total: Int64) {
        give(.begin)
        let version = KnownVersion(total: total, validators: Validators(etag: "\"v1\""))
        let pieces = [Located.Piece(start: 0, position: total / 8), .init(start: total / 2, position: total / 8 * 5)]
        give(.located(.resumable(path: "/tmp/f", version, pieces)))
        give(.reopened)
    }

    /// Lets time pass in ticks, in which no byte comes.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while now < end {
            now += .milliseconds(100)
            give(
                .tick(
                    running.map { FetchSample(id: $0.id, position: $0.position, received: 0, isHeldBack: false) }))
        }
    }

    /// The waits that it told, in seconds.
    var waits: [Double] {
        events.compactMap { if case .waiting(_, let seconds) = $0 { seconds } else { nil } }
    }

    /// Lets a running fetch end with its segment full.
    @discardableResult
    mutating func complete(_ plan: FetchPlan) -> [MachineEffect] {
        let segment = plan.segment ?? 0
        return give(.ended(fetch: plan.id, position: machine.map.end(of: segment) ?? 0, .complete))
    }

    /// Takes the file from complete to published.
    mutating func finish() {
        give(.verified(hex: machine.configuration.checksum?.hex))
        give(.published(path: "/tmp/f"))
    }

    /// The error that it ended with.
    var failure: DownloadError? {
        if case .failure(let error)? = machine.result { error } else { nil }
    }

    /// How often it told an end.
    var ends: Int {
        events.filter { event in
            switch event {
            case .finished, .failed: true
            case .started, .progress, .waiting, .notice: false
            }
        }.count
    }
}
