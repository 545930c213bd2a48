/// An explanation of what limits a run of a download, or limited it.
///
/// A pure function of the run's record: the same record always has the same explanation.
public struct Explanation: Hashable, Sendable, Codable {
    /// The limiting factors by cost, highest first; minor ones (less than 5 % of the time) are omitted unless they are
    /// incidents.
    public var factors: [LimitingFactor]
    /// The record that the explanation is derived from.
    public var record: TransferRecord

    /// Explains a run.
    public init(_ record: TransferRecord) {
        self.record = record
        let found = Self.local(record) + Self.receiving(record)
        // The sort is stable: of two factors with the same cost, the cause precedes its consequence.
        factors = found.enumerated().filter { $0.element.share >= Self.minimum || $0.element.isIncident }
            .sorted { ($0.element.share, -$0.offset) > ($1.element.share, -$1.offset) }
            .map(\.element)
    }

    /// The minimum fraction of the time for a factor to be listed.
    static let minimum = 0.05

    /// Returns a number of seconds as a fraction of the run's time.
    static func share(_ seconds: Double, of record: TransferRecord) -> Double {
        let all = record.times.total
        return all > 0 && seconds.isFinite ? min(1, max(0, seconds / all)) : 0
    }

    /// Returns the factors that are independent of the transfer rate.
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

    /// Returns the factors for the time without a request, divided among the reasons for the waits.
    private static func waits(_ record: TransferRecord) -> [LimitingFactor] {
        let all = record.waits.reduce(0) { $0 + $1.seconds }
        // The wait for a connection to the host is a factor of its own.
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
    /// True if it is listed regardless of its cost, because something went wrong.
    fileprivate var isIncident: Bool {
        switch cause {
        case .refusals(let count, _, _), .stalls(_, let count), .retries(_, let count): count > 0
        case .hostLimit(_, _, let waited): waited > 0
        case .serverAsked: true
        case .perConnection, .likelyPerConnection, .connectionLimit, .total, .server, .single, .rateLimit, .latency,
            .disk, .processor, .processorQuota, .processorWait, .verifying, .files, .proxy:
            false
        }
    }
}
