/// The number of rows of each host.
package struct HostCounts: Sendable {
    /// Names are kept for this number of hosts, those with the most rows.
    static let maxNames = 10_000

    /// The number of all rows.
    package private(set) var rows: Int64 = 0
    /// The rows of each host, by the hash of its name.
    private(set) var counts: [UInt64: Int64] = [:]
    private(set) var names: [UInt64: String] = [:]
    private var threshold: Int64 = 1

    /// Creates empty counts.
    package init() {}

    /// Counts a row; an empty host is that of rows without a valid URL.
    package mutating func add(_ host: String, rows more: Int64 = 1) {
        let key = Self.key(host)
        let count = counts[key, default: 0] + more
        counts[key] = count
        rows += more
        guard count >= threshold, names[key] == nil else { return }
        names[key] = host
        while names.count > Self.maxNames {
            threshold *= 2
            names = names.filter { counts[$0.key, default: 0] >= threshold }
        }
    }

    /// Returns the hash of a name: FNV-1a, the same in every process.
    static func key(_ host: String) -> UInt64 {
        host.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

/// The assignment of hosts to shards, the same in every process that has read the same manifest.
///
/// Each host is in one shard, so that its limit holds for all shards without any communication. A host with more rows
/// than a shard should have is split, and its limit divided.
package struct ShardPlan: Hashable, Sendable {
    /// A host, or a part of it, in a shard.
    package struct Piece: Hashable, Sendable {
        /// The shard.
        package var shard: Int
        /// The number of connections that the shard may have to the host.
        package var limit: Int
    }

    /// A host that is split over several shards.
    package struct SplitHost: Hashable, Sendable {
        /// The name.
        package var host: String
        /// The number of rows.
        package var rows: Int64
        /// The parts.
        package var pieces: [Piece]
    }

    /// The number of rows of each shard.
    package private(set) var loads: [Int64]
    /// The number of hosts of each shard.
    package private(set) var hosts: [Int]
    /// The hosts that are split.
    package private(set) var split: [SplitHost] = []

    private let perHost: Int
    private var shards: [UInt64: Int32] = [:]
    private var pieces: [UInt64: [Piece]] = [:]

    /// Assigns hosts to shards: the largest first, each to the shard with the least rows.
    package init(_ counts: HostCounts, shards count: Int, perHost: Int) {
        self.perHost = max(1, perHost)
        loads = Array(repeating: 0, count: count)
        hosts = Array(repeating: 0, count: count)
        shards.reserveCapacity(counts.counts.count)
        var heap = LoadHeap(count: count)
        let fair = max(1, (counts.rows + Int64(count) - 1) / Int64(count))
        let order = counts.counts.sorted { ($0.value, $1.key) > ($1.value, $0.key) }
        for (key, rows) in order {
            let wanted = Int(min((rows + fair - 1) / fair, Int64(min(count, self.perHost))))
            guard rows > fair, wanted > 1 else {
                let shard = heap.add(rows)
                shards[key] = Int32(shard)
                take(shard, rows)
                continue
            }
            divide(key, rows, wanted, counts.names[key] ?? "(unnamed)", &heap)
        }
    }

    private mutating func take(_ shard: Int, _ rows: Int64) {
        loads[shard] += rows
        hosts[shard] += 1
    }

    private mutating func divide(_ key: UInt64, _ rows: Int64, _ count: Int, _ name: String, _ heap: inout LoadHeap) {
        var made: [Piece] = []
        let chosen = heap.lightest(count)
        var start = 0
        for (number, shard) in chosen.enumerated() {
            let limit = perHost / count + (number < perHost % count ? 1 : 0)
            made.append(Piece(shard: shard, limit: limit))
            // The same division as that of the rows in `piece(of:occurrence:)`.
            let (rounds, rest) = rows.quotientAndRemainder(dividingBy: Int64(perHost))
            let load = rounds * Int64(limit) + min(Int64(limit), max(0, rest - Int64(start)))
            start += limit
            heap.add(load, to: shard)
            take(shard, load)
        }
        pieces[key] = made
        split.append(SplitHost(host: name, rows: rows, pieces: made))
    }

    /// Returns the shard of a row, and the limit of its host there; nil if the manifest did not contain the host.
    ///
    /// - Parameter occurrence: Returns the number of earlier rows of the same host; called only for split hosts.
    package func piece(of host: String, occurrence: () -> Int64) -> Piece? {
        let key = HostCounts.key(host)
        if let shard = shards[key] { return Piece(shard: Int(shard), limit: perHost) }
        guard let pieces = pieces[key] else { return nil }
        var place = Int(occurrence() % Int64(perHost))
        for piece in pieces {
            if place < piece.limit { return piece }
            place -= piece.limit
        }
        return pieces.last
    }
}

/// The shards in the order of their loads.
private struct LoadHeap {
    private var loads: [(rows: Int64, shard: Int)]

    init(count: Int) { loads = (0..<count).map { (0, $0) } }

    /// Adds rows to the shard with the least, and returns it.
    mutating func add(_ rows: Int64) -> Int {
        let shard = loads[0].shard
        loads[0].rows += rows
        sink(0)
        return shard
    }

    /// Adds rows to a shard.
    mutating func add(_ rows: Int64, to shard: Int) {
        guard let index = loads.firstIndex(where: { $0.shard == shard }) else { return }
        loads[index].rows += rows
        sink(index)
    }

    /// Returns the shards with the least rows.
    func lightest(_ count: Int) -> [Int] {
        loads.sorted { ($0.rows, $0.shard) < ($1.rows, $1.shard) }.prefix(count).map(\.shard)
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while true {
            let children = (2 * index + 1..<2 * index + 3).filter { $0 < loads.count }
            let least = children.min { (loads[$0].rows, loads[$0].shard) < (loads[$1].rows, loads[$1].shard) }
            guard let least,
                (loads[least].rows, loads[least].shard) < (loads[index].rows, loads[index].shard)
            else { return }
            loads.swapAt(index, least)
            index = least
        }
    }
}

/// Tells for each row of a manifest if it belongs to a shard, in the order of the rows.
package struct ShardFilter: Sendable {
    private enum Rule: Sendable {
        case rows
        case hosts(ShardPlan)
    }

    private let shard: Shard
    private let rule: Rule
    private var seen: [UInt64: Int64] = [:]
    private let perHost: Int

    /// Creates a filter that takes every Nth row.
    package init(byRow shard: Shard, perHost: Int) { (self.shard, rule, self.perHost) = (shard, .rows, perHost) }

    /// Creates a filter that takes the rows of the shard's hosts.
    package init(_ shard: Shard, by plan: ShardPlan, perHost: Int) {
        (self.shard, rule, self.perHost) = (shard, .hosts(plan), perHost)
    }

    /// Returns the limit of the row's host in this shard; nil if the row belongs to another shard.
    ///
    /// - Parameter host: Evaluated only if the division depends on hosts.
    package mutating func limit(of host: @autoclosure () -> String, row: Int64) -> Int? {
        let home = piece(of: host(), row: row)
        return home.shard == shard.index ? home.limit : nil
    }

    /// Returns the shard of a row, and the limit of its host there.
    ///
    /// - Parameter host: Evaluated only if the division depends on hosts.
    package mutating func piece(of host: @autoclosure () -> String, row: Int64) -> ShardPlan.Piece {
        switch rule {
        case .rows: return ShardPlan.Piece(shard: Int(row % Int64(shard.count)), limit: perHost)
        case .hosts(let plan):
            let host = host()
            // Moved, not copied.
            var occurrences = seen
            seen = [:]
            let piece = plan.piece(of: host) {
                let key = HostCounts.key(host)
                defer { occurrences[key, default: 0] += 1 }
                return occurrences[key, default: 0]
            }
            seen = occurrences
            // A host that appeared after the plan was made: never in two shards.
            return piece
                ?? ShardPlan.Piece(shard: Int(HostCounts.key(host) % UInt64(shard.count)), limit: perHost)
        }
    }
}
