/// Factors that limit the transfer rate.
extension Explanation {
    /// The effect of more connections on the speed.
    enum Scaling: Equatable {
        /// The speed grew with the number of connections.
        case grows
        /// They were hardly faster than this smaller number.
        case flat(than: Int)
        /// There is nothing to compare.
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

    /// Returns the factor of this machine if it was busy; the server's limits were not reached then.
    ///
    /// A process short of processor time also takes longer to write, so the processor is checked before the disk.
    private static func machine(_ record: TransferRecord, _ free: Double) -> LimitingFactor? {
        if let cause = record.processor?.limit { return LimitingFactor(cause, share: share(free, of: record)) }
        let writing = record.times.receiving > 0 ? record.writing / record.times.receiving : 0
        // With several connections two threads write, each of them for up to the whole time.
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
            let cause: LimitingFactor.Cause =
                factors.isEmpty && areEquallyFast(record, connections)
                ? .likelyPerConnection(connections: connections, speed: pace)
                : .server(connections: connections, speed: pace)
            factors.append(LimitingFactor(cause, share: part))
        }
        return factors
    }

    /// Returns true if several connections were equally fast for a good part of the time: connections that share a
    /// bottleneck hardly ever are.
    private static func areEquallyFast(_ record: TransferRecord, _ connections: Int) -> Bool {
        let speeds = record.connections.compactMap { connection -> Double? in
            guard let begin = connection.responded, connection.bytes > 0 else { return nil }
            let seconds = (connection.ended ?? record.seconds) - begin
            return seconds >= max(minLong, record.times.receiving / 4) ? Double(connection.bytes) / seconds : nil
        }
        guard connections >= 3, speeds.count >= connections, let slowest = speeds.min(), let fastest = speeds.max()
        else {
            return false
        }
        return fastest <= slowest * 1.1
    }

    /// The minimum time, in seconds, for the speed of a connection to count.
    private static let minLong = 2.0

    /// Compares the speeds of different numbers of connections.
    static func scaling(_ record: TransferRecord) -> Scaling {
        let tried = record.paces.filter { $0.seconds > 0 && $0.connections > 0 && $0.bytes > 0 }
        guard let typical = tried.max(by: { $0.seconds < $1.seconds }), typical.seconds >= minTry else {
            return .unknown
        }
        // Only numbers that differ by at least a third are compared; each was measured briefly, so they are pooled.
        let fewer = Pool(tried.filter { $0.connections * 3 <= typical.connections * 2 })
        let more = Pool(tried.filter { $0.connections * 2 >= typical.connections * 3 })
        let one = Pool([typical])
        // The machine dropped connections that did not increase the speed; a later attempt may have had another result.
        let hadMore = record.paces.contains { $0.connections > typical.connections }
        if hadMore, record.connections.contains(where: { $0.end == .surplus }) {
            return more.seconds >= minTry && gain(from: one, to: more) >= minGain
                ? .grows : .flat(than: typical.connections)
        }
        let (small, large) = fewer.seconds >= minTry ? (fewer, one) : (one, more)
        guard small.seconds >= minTry, large.seconds >= minTry else { return .unknown }
        let gain = gain(from: small, to: large)
        // In automatic mode connections are added only as long as the speed increases.
        let isChosen = if case .automatic = record.limit { true } else { false }
        if gain >= (isChosen ? minGain : 0.6) { return .grows }
        return gain <= minGain ? .flat(than: Int(small.connections.rounded())) : .unknown
    }

    /// Returns 0 if more connections have the same total speed, 1 if each is as fast as each of the fewer ones.
    private static func gain(from small: Pool, to large: Pool) -> Double {
        (large.speed / small.speed - 1) / (large.connections / small.connections - 1)
    }

    /// The minimum gain that counts.
    private static let minGain = 0.3

    /// The minimum time, in seconds, for a measurement to count.
    private static let minTry = 0.15

    /// The measurements for several numbers of connections, combined.
    private struct Pool {
        var seconds = 0.0
        /// The mean number of connections.
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

    /// Returns the factor of refused connections; they count from the first refusal to the end.
    private static func refusals(_ record: TransferRecord, _ free: Double) -> [LimitingFactor] {
        guard record.refusalCount > 0, let first = record.refusals.first else { return [] }
        // Some of the remaining connections may have been refused at the same time: those that delivered data were
        // granted.
        let left = record.refusals.map(\.connections)
        let granted = record.paces.map(\.connections).max().map { min($0, left.max() ?? $0) }
        let since = min(free, max(0, record.seconds - first.time))
        return [
            LimitingFactor(
                .refusals(count: record.refusalCount, connections: granted ?? left.min() ?? 1, status: first.status),
                share: share(since, of: record))
        ]
    }

    /// Returns the mean speed, in bytes per second, over the time in which data was received.
    private static func speed(_ record: TransferRecord) -> Double {
        let seconds = record.times.receiving
        return seconds > 0 ? Double(record.receivedBytes) / seconds : 0
    }
}
