import HaulBatch
import Testing

@Suite struct ShardPlanTests {
    private func counts(_ hosts: [(String, Int64)]) -> HostCounts {
        var counts = HostCounts()
        for (host, rows) in hosts { counts.add(host, rows: rows) }
        return counts
    }

    /// The shards of all rows, by filters of all shards.
    private func shards(
        _ rows: [String], _ count: Int, perHost: Int, _ plan: ShardPlan?
    ) -> [[(shard: Int, limit: Int)]] {
        var filters = (0..<count).map { index -> ShardFilter in
            // The index is in range.
            let shard = Shard(index, of: count) ?? .whole
            return plan.map { ShardFilter(shard, by: $0, perHost: perHost) }
                ?? ShardFilter(byRow: shard, perHost: perHost)
        }
        return rows.enumerated().map { number, host in
            filters.indices.compactMap { index in
                filters[index].limit(of: host, row: Int64(number)).map { (index, $0) }
            }
        }
    }

    @Test(arguments: 1...7, [1, 2, 3, 4, 7])
    func `every row is in exactly one shard, and no host exceeds its limit`(count: Int, perHost: Int) {
        for hosts in [1, 2, 5, 40] {
            let rows = (0..<500).map { number in number % 3 == 0 ? "big" : "h\(number * number % hosts)" }
            var counts = HostCounts()
            for host in rows { counts.add(host) }
            let plan = ShardPlan(counts, shards: count, perHost: perHost)
            let homes = shards(rows, count, perHost: perHost, plan)
            #expect(homes.allSatisfy { $0.count == 1 })
            var limits: [String: [Int: Int]] = [:]
            for (host, home) in zip(rows, homes) { limits[host, default: [:]][home[0].shard] = home[0].limit }
            for (_, byShard) in limits { #expect(byShard.values.reduce(0, +) <= perHost) }
            #expect((0..<count).map { shard in Int64(homes.count { $0[0].shard == shard }) } == plan.loads)
        }
    }

    @Test(arguments: 1...5)
    func `by row, every row is in exactly one shard`(count: Int) {
        let homes = shards(Array(repeating: "h", count: 23), count, perHost: 4, nil)
        #expect(homes.enumerated().allSatisfy { $1.map(\.shard) == [$0 % count] })
    }

    @Test func `hosts are spread by their rows`() {
        let plan = ShardPlan(
            counts([("a", 50), ("b", 30), ("c", 20), ("d", 40), ("e", 10), ("f", 10)]), shards: 2, perHost: 4)
        #expect(plan.loads.sorted() == [80, 80])
        #expect(plan.split.isEmpty)
        #expect(plan.hosts.reduce(0, +) == 6)
    }

    @Test func `a big host is split, with its limit divided`() throws {
        let plan = ShardPlan(counts([("big", 1000), ("a", 10), ("b", 10)]), shards: 4, perHost: 6)
        let host = try #require(plan.split.first)
        #expect(host.host == "big")
        #expect(host.pieces.map(\.limit).sorted() == [1, 1, 2, 2])
        #expect(Set(host.pieces.map(\.shard)).count == 4)
        #expect(plan.loads.reduce(0, +) == 1020)
    }

    @Test func `a limit of one is never divided`() {
        let plan = ShardPlan(counts([("big", 1000)]), shards: 4, perHost: 1)
        #expect(plan.split.isEmpty)
        #expect(plan.loads.sorted() == [0, 0, 0, 1000])
    }

    @Test func `the plan does not depend on the order of the rows`() {
        let hosts = (0..<50).map { ("h\($0)", Int64($0 % 7 + 1)) }
        let plan = ShardPlan(counts(hosts), shards: 5, perHost: 4)
        #expect(ShardPlan(counts(hosts.reversed()), shards: 5, perHost: 4) == plan)
    }

    @Test func `names of big hosts are known among very many`() {
        var counts = HostCounts()
        for number in 0..<30_000 {
            counts.add("h\(number)")
            counts.add("big")
        }
        #expect(ShardPlan(counts, shards: 4, perHost: 4).split.map(\.host) == ["big"])
    }
}
