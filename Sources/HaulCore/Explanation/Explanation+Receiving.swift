/// What limits the pace at which bytes come.
extension Explanation {
    /// What more connections did to the speed.
    enum Scaling: Equatable {
        /// The speed grew with their number.
        case grows
        /// They brought hardly more than these fewer ones.
        case flat(than: Int)
        /// Nothing to compare.
        case unknown
    }

    static func receiving(_ record: TransferRecord) -> [LimitingFactor] {
        let held = min(max(0, record.heldBack), record.times.receiving)
        let free = record.times.receiving - held
        var factors: [LimitingFactor] = []
        if held > 0 {
            factors.append(LimitingFactor(.rateLimit(speed: speed(record)), share: share(held, of: record)))
        }
        guard share(free, of: record) >= minimum else { return factors + refusals(record, free) }
        if let own = machine(record, free) { return factors + [own] + refusals(record, free) }
        factors += server(record, free)
        if let host = record.proxy {
            factors.append(LimitingFactor(.proxy(host: host), share: share(free, of: record)))
        }
        return factors
    }

    /// This machine, where it is busy: then the server's limits were not reached.
    ///
    /// Writing takes longer, too, if the processor is short, so the processor is named before the disk.
    private static func machine(_ record: TransferRecord, _ free: Double) -> LimitingFactor? {
        if let cause = record.processor?.limit { return LimitingFactor(cause, share: share(free, of: record)) }
        let writing = record.times.receiving > 0 ? record.writing / record.times.receiving : 0
        // With several connections two threads write, and so each of them up to the whole time.
        let part = min(1, writing / (record.connections.count > 1 ? 2 : 1))
        guard part >= 0.5 else { return nil }
        return LimitingFactor(.disk(writing: part), share: share(free, of: record))
    }

    private static func server(_ record: TransferRecord, _ free: Double) -> [LimitingFactor] {
        let part = share(free, of: record)
        if let reason = record.single, record.limit.maximum > 1 {
            return [LimitingFactor(.single(reason: reason, speed: speed(record)), share: part)] + refusals(record, free)
        }
        let typical = record.paces.max { $0.seconds < $1.seconds }
        let (connections, pace) = (typical?.connections ?? 1, typical?.speed ?? speed(record))
        var factors = refusals(record, free)
        switch scaling(record) {
        case .grows:
            factors.append(LimitingFactor(.perConnection(connections: connections, speed: pace), share: part))
            guard record.refusalCount == 0, connections >= record.limit.maximum else { return factors }
            let limit = record.limit.maximum
            let isDefault = record.limit == .standard
            factors.append(LimitingFactor(.connectionLimit(limit: limit, isDefault: isDefault), share: part))
        case .flat(let fewer):
            let maximum = max(fewer, connections)
            let fewest = fewer < maximum ? fewer : nil
            factors.append(LimitingFactor(.total(connections: maximum, speed: pace, fewer: fewest), share: part))
        case .unknown:
            // Refusals that cost most of the time say enough.
            if let refused = factors.first, refused.share >= part / 2 { return factors }
            factors.append(LimitingFactor(.server(connections: connections, speed: pace), share: part))
        }
        return factors
    }

    /// Compares what different numbers of connections brought.
    static func scaling(_ record: TransferRecord) -> Scaling {
        let tried = record.paces.filter { $0.seconds > 0 && $0.connections > 0 && $0.bytes > 0 }
        guard let typical = tried.max(by: { $0.seconds < $1.seconds }), typical.seconds >= minTry else {
            return .unknown
        }
        // Numbers that differ by a third at least; each was watched for a short time only, so they count together.
        let fewer = Pool(tried.filter { $0.connections * 3 <= typical.connections * 2 })
        let more = Pool(tried.filter { $0.connections * 2 >= typical.connections * 3 })
        let one = Pool([typical])
        // Haul's own finding: it had more of them, and gave them up since they brought nothing. A later try may have gone otherwise.
        let hadMore = record.paces.contains { $0.connections > typical.connections }
        if hadMore, record.connections.contains(where: { $0.end == .surplus }) {
            return more.seconds >= minTry && gain(from: one, to: more) >= minGain
                ? .grows : .flat(than: typical.connections)
        }
        let (small, large) = fewer.seconds >= minTry ? (fewer, one) : (one, more)
        guard small.seconds >= minTry, large.seconds >= minTry else { return .unknown }
        let gain = gain(from: small, to: large)
        // Choosing for itself, Haul went on to more of them only as long as they paid.
        let isChosen = if case .automatic = record.limit { true } else { false }
        if gain >= (isChosen ? minGain : 0.6) { return .grows }
        return gain <= minGain ? .flat(than: Int(small.connections.rounded())) : .unknown
    }

    /// 0: all of them bring what the few brought; 1: each brings what each of the few brought.
    private static func gain(from small: Pool, to large: Pool) -> Double {
        (large.speed / small.speed - 1) / (large.connections / small.connections - 1)
    }

    /// A gain that is less counts as none.
    private static let minGain = 0.3

    /// What was tried for less than this, in seconds, says little.
    private static let minTry = 0.15

    /// Several numbers of connections as one.
    private struct Pool {
        var seconds = 0.0
        /// The mean number.
        var connections = 1.0
        /// Bytes per second.
        var speed = 0.0

        init(_ paces: [PaceRecord]) {
            seconds = paces.reduce(0) { $0 + $1.seconds }
            guard seconds > 0 else { return }
            connections = paces.reduce(0) { $0 + $1.seconds * Double($1.connections) } / seconds
            speed = paces.reduce(0) { $0 + Double($1.bytes) } / seconds
        }
    }

    /// What the server refused; it cost the time from the first refusal on.
    private static func refusals(_ record: TransferRecord, _ free: Double) -> [LimitingFactor] {
        guard record.refusalCount > 0, let first = record.refusals.first else { return [] }
        // Of those that were left some may have been refused in the same instant: what delivered is what is granted.
        let left = record.refusals.map(\.connections)
        let granted = record.paces.map(\.connections).max().map { min($0, left.max() ?? $0) }
        let since = min(free, max(0, record.seconds - first.time))
        return [
            LimitingFactor(
                .refusals(count: record.refusalCount, connections: granted ?? left.min() ?? 1, status: first.status),
                share: share(since, of: record))
        ]
    }

    /// What came per second while bytes came.
    private static func speed(_ record: TransferRecord) -> Double {
        let seconds = record.times.receiving
        return seconds > 0 ? Double(record.receivedBytes) / seconds : 0
    }
}
