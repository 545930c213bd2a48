/// What limits a run of a download, or limited it: the factors by what they cost, dearest first.
///
/// A pure function of the run's record: the same record always has the same explanation.
public struct Explanation: Hashable, Sendable, Codable {
    /// What held the run up, dearest first; what cost less than a twentieth of the time is left out.
    public var factors: [LimitingFactor]
    /// What they were found in.
    public var record: TransferRecord

    /// Explains a run.
    public init(_ record: TransferRecord) {
        self.record = record
        let found = Self.local(record) + Self.receiving(record)
        // A stable sort: of what cost the same, the cause stands before what follows from it.
        factors = found.enumerated().filter { $0.element.share >= Self.minimum || $0.element.isIncident }
            .sorted { ($0.element.share, -$0.offset) > ($1.element.share, -$1.offset) }
            .map(\.element)
    }

    /// The smallest part of the time that is worth a word.
    static let minimum = 0.05

    /// The part of the run's time that some seconds are.
    static func share(_ seconds: Double, of record: TransferRecord) -> Double {
        let all = record.times.total
        return all > 0 && seconds.isFinite ? min(1, max(0, seconds / all)) : 0
    }

    /// What is not a matter of how fast bytes come.
    private static func local(_ record: TransferRecord) -> [LimitingFactor] {
        let times = record.times
        var factors = waits(record)
        if let host = record.hostLimit {
            let cause = LimitingFactor.Cause.hostLimit(
                limit: host.limit, connections: host.connections, waited: host.waited)
            factors.append(LimitingFactor(cause, share: share(host.waited + host.short, of: record)))
        }
        let responded = record.connections.count { $0.responded != nil }
        factors.append(
            LimitingFactor(
                .latency(seconds: times.asking, requests: responded + record.omittedConnections),
                share: share(times.asking, of: record)))
        let replaced = record.connections.count { $0.end == .stalled || $0.end == .replaced }
        factors.append(
            LimitingFactor(
                .stalls(seconds: times.silent, replaced: replaced), share: share(times.silent, of: record)))
        factors.append(
            LimitingFactor(.verifying(seconds: times.verifying), share: share(times.verifying, of: record)))
        factors.append(LimitingFactor(.files(seconds: times.files), share: share(times.files, of: record)))
        return factors
    }

    /// The time without a request, parted by what the waits were meant for.
    private static func waits(_ record: TransferRecord) -> [LimitingFactor] {
        let all = record.waits.reduce(0) { $0 + $1.seconds }
        // A wait for a place at the host is a matter of its own.
        let waiting = max(0, record.times.waiting - (record.hostLimit?.waited ?? 0))
        guard all > 0, waiting > 0 else { return [] }
        let asked = record.waits.filter { $0.status != nil }
        let askedSeconds = waiting * (asked.reduce(0) { $0 + $1.seconds } / all)
        let rest = waiting - askedSeconds
        var factors: [LimitingFactor] = []
        if let status = asked.last?.status {
            factors.append(
                LimitingFactor(
                    .serverAsked(seconds: askedSeconds, status: status), share: share(askedSeconds, of: record)))
        }
        let failures = record.waits.count - asked.count
        if failures > 0 {
            factors.append(
                LimitingFactor(.retries(seconds: rest, count: failures), share: share(rest, of: record)))
        }
        return factors
    }
}

extension LimitingFactor {
    /// Whether it is told however little it cost: something went wrong.
    fileprivate var isIncident: Bool {
        switch cause {
        case .refusals(let count, _, _), .stalls(_, let count), .retries(_, let count): count > 0
        case .hostLimit(_, _, let waited): waited > 0
        case .serverAsked: true
        case .perConnection, .connectionLimit, .total, .server, .single, .rateLimit, .latency, .disk, .processor,
            .processorQuota, .processorWait, .verifying, .files, .proxy:
            false
        }
    }
}
