import Testing

@testable import HaulCore

@Suite("The division of connections among hosts")
struct HostSharesTests {
    typealias Server = HostSharesSimulation.Server
    static let mega = 1e6
    static let totals = [2, 4, 6, 16]

    /// How much longer a download takes than from its best server alone.
    private static func ratio(_ servers: [Server], _ total: Int, bytes: Double, seed: UInt64 = 1) -> Double {
        HostSharesSimulation.run(servers, total, bytes: bytes, seed: seed).time
            / HostSharesSimulation.best(servers, total, bytes: bytes)
    }

    /// The bytes that a server of a megabyte per second and connection sends in so many seconds.
    private static func bytes(_ seconds: Double, _ total: Int) -> Double { seconds * Double(total) * mega }

    @Test(
        "a slow mirror costs about 5 % of 5 s at most, and less later", arguments: [2, 3, 4, 6, 16], [0.02, 0.3, 0.85])
    func slowMirror(total: Int, speed: Double) {
        let servers = [Server(each: Self.mega), Server(each: speed * Self.mega)]
        #expect(Self.ratio(servers, total, bytes: Self.bytes(5, total)) <= 1.08)
        #expect(Self.ratio(servers, total, bytes: Self.bytes(30, total)) <= 1.03)
    }

    @Test("the same for a mirror of another priority, and for bursts and noise", arguments: [2, 4, 6], 0..<3)
    func slowAndUneven(total: Int, seed: UInt64) {
        let main = Server(each: Self.mega, burst: 0.2, noise: 0.2)
        let mirror = Server(each: 0.3 * Self.mega, burst: 0.3, noise: 0.2, priority: 2)
        #expect(Self.ratio([main, mirror], total, bytes: Self.bytes(30, total), seed: seed) <= 1.05)
    }

    @Test("the best source may be the mirror", arguments: totals, [0.02, 0.3, 0.6])
    func slowMain(total: Int, speed: Double) {
        let servers = [Server(each: speed * Self.mega), Server(each: Self.mega)]
        let outcome = HostSharesSimulation.run(servers, total, bytes: Self.bytes(30, total))
        #expect(outcome.time <= 30 * 1.06)
        // The gain of the last connection of 16 is too small to be measured.
        #expect(outcome.numbers[100][0] <= (total > 6 ? 1 : 0))
    }

    @Test("several slow mirrors", arguments: [2, 4, 6], [2, 3, 5])
    func severalSlow(total: Int, count: Int) {
        let servers =
            [Server(each: Self.mega)] + (1...count).map { Server(each: Double($0) * 0.1 * Self.mega) }
        #expect(Self.ratio(servers, total, bytes: Self.bytes(30, total)) <= 1.09)
    }

    @Test("a distant slow mirror", arguments: [2, 4, 6])
    func distant(total: Int) {
        let main = Server(each: Self.mega, latency: 0.1)
        let mirror = Server(each: 0.3 * Self.mega, latency: 0.3, usableAfter: 1)
        #expect(Self.ratio([main, mirror], total, bytes: Self.bytes(30, total)) <= 1.09)
    }

    @Test("mirrors that never deliver", arguments: [2, 4, 6], [1, 2, 5])
    func dead(total: Int, count: Int) {
        let servers = [Server(each: Self.mega)] + Array(repeating: Server(isDead: true), count: count)
        #expect(Self.ratio(servers, total, bytes: Self.bytes(5, total)) <= 1.15)
        #expect(Self.ratio(servers, total, bytes: Self.bytes(60, total)) <= 1.08)
    }

    @Test("servers that are limited in total add up", arguments: totals, [0.3, 1, 3])
    func limitedInTotal(total: Int, second: Double) {
        let servers = [
            Server(total: 3 * Self.mega, noise: 0.1), Server(total: 3 * second * Self.mega, noise: 0.1),
        ]
        let outcome = HostSharesSimulation.run(servers, total, bytes: 90 * (1 + second) * Self.mega)
        #expect(outcome.time <= 30 * 1.06, "\(outcome)")
        #expect(outcome.received[0] > 80 * Self.mega && outcome.received[1] > 80 * second * Self.mega)
    }

    @Test("many servers that are limited in total add up", arguments: [4, 6, 16], 3...5)
    func manyLimitedInTotal(total: Int, count: Int) {
        let servers = Array(repeating: Server(total: Self.mega, noise: 0.1), count: count)
        let speed = Double(min(count, total)) * Self.mega
        #expect(HostSharesSimulation.run(servers, total, bytes: 30 * speed).time <= 30 * 1.15)
    }

    @Test("one that is limited in total, and one whose every connection counts", arguments: [3, 4, 6], [true, false])
    func mixed(total: Int, isMainLimited: Bool) {
        let limited = Server(total: 3 * Self.mega, noise: 0.05)
        let other = Server(each: Self.mega, noise: 0.05)
        let servers = isMainLimited ? [limited, other] : [other, limited]
        // One connection to the limited one, and all others to the other one, is the best division.
        let outcome = HostSharesSimulation.run(servers, total, bytes: 30 * Double(total - 1 + 3) * Self.mega)
        #expect(outcome.time <= 30 * 1.36)
    }

    @Test("a mirror of equal speed gets about half", arguments: totals, 0..<2)
    func equal(total: Int, seed: UInt64) {
        let servers = [Server(each: Self.mega, noise: 0.1), Server(each: Self.mega, noise: 0.1)]
        let outcome = HostSharesSimulation.run(servers, total, bytes: Self.bytes(60, total), seed: seed)
        #expect(outcome.time <= 60 * 1.03)
        #expect(outcome.received[1] >= 0.28 * Self.bytes(60, total))
    }

    @Test("connections are moved a few times a minute at most", arguments: [2, 4, 6])
    func flapping(total: Int) {
        let pairs = [(1, 0.3), (1, 0.85), (1, 0.9), (1, 0.95), (1, 1), (0.3, 1)]
        for (first, second) in pairs {
            for isTotal in [true, false] {
                let servers = [first, second].map {
                    isTotal
                        ? Server(total: $0 * 3 * Self.mega, noise: 0.2) : Server(each: $0 * Self.mega, noise: 0.2)
                }
                let bytes = isTotal ? 180 * (first + second) * 3 * Self.mega : Self.bytes(180, total)
                let outcome = HostSharesSimulation.run(servers, total, bytes: bytes)
                #expect(outcome.moves <= 5 * total + Int(outcome.time / 10), "\(first) \(second) \(outcome.moves)")
            }
        }
    }

    @Test("connections that one host refuses go to the other, however slow it is", arguments: [4, 6])
    func refused(total: Int) {
        let servers = [Server(each: Self.mega, limit: 2), Server(each: 0.1 * Self.mega)]
        let outcome = HostSharesSimulation.run(servers, total, bytes: 60 * Self.mega)
        #expect(outcome.numbers[100] == [2, total - 2])
    }

    @Test("a mirror that becomes slow later gives its connections up, and gets them back when it is fast again")
    func changes() {
        var mirror = Server(each: Self.mega)
        mirror.change = (after: 20, each: 0.1 * Self.mega)
        let worse = HostSharesSimulation.run([Server(each: Self.mega), mirror], 4, bytes: 200 * Self.mega)
        #expect(worse.numbers[150] == [2, 2] && worse.numbers[400] == [4, 0])
        mirror.change = (after: 20, each: Self.mega)
        mirror.each = 0.1 * Self.mega
        let better = HostSharesSimulation.run([Server(each: Self.mega), mirror], 4, bytes: 500 * Self.mega)
        #expect(better.numbers[150] == [4, 0] && better.numbers[1000] == [2, 2])
    }

    @Test("a link that is good for one request is not given up")
    func oneUse() {
        var main = Server(each: 0.1 * Self.mega)
        (main.limit, main.isOneUse) = (1, true)
        let outcome = HostSharesSimulation.run([main, Server(each: Self.mega)], 4, bytes: 60 * Self.mega)
        #expect(outcome.numbers.allSatisfy { $0[0] == 1 })
        #expect(outcome.numbers[60] == [1, 3])
    }

    /// Hosts without connections.
    private static func hosts(_ count: Int, _ change: (inout HostShares.Host, Int) -> Void = { _, _ in })
        -> [HostShares.Host]
    {
        (0..<count).map { index in
            var host = HostShares.Host()
            change(&host, index)
            return host
        }
    }

    @Test("a mirror begins with one connection, if there are two", arguments: 1...16)
    func begins(total: Int) {
        var shares = HostShares(total: total)
        let hosts = Self.hosts(2)
        shares.admit(hosts, now: .zero)
        #expect(shares.numbers(hosts) == (total == 1 ? [1, 0] : [total - 1, 1]))
    }

    @Test("a mirror is not tried in the last seconds")
    func lastSeconds() {
        let mirror = Server(each: 0.3 * Self.mega, knownAfter: 27.5)
        let outcome = HostSharesSimulation.run([Server(each: Self.mega), mirror], 4, bytes: Self.bytes(30, 4))
        #expect(outcome.received[1] == 0 && outcome.time <= 30.2)
    }

    @Test("the numbers never exceed what there is, or what a host can have", arguments: 0..<200)
    func bounds(seed: UInt64) {
        var generator = FuzzText(seed: seed)
        let total = Int.random(in: 1...16, using: &generator)
        var shares = HostShares(total: total)
        var now = Duration.zero
        for _ in 0..<200 {
            now += .milliseconds(Int.random(in: 50...900, using: &generator))
            var id = 0
            let hosts = Self.hosts(Int.random(in: shares.states.count...6, using: &generator)) { host, _ in
                host.priority = Int.random(in: 1...2, using: &generator)
                host.connections = Int.random(in: 0...4, using: &generator)
                host.limit = max(host.connections, Int.random(in: 0...4, using: &generator))
                host.isUsable = Bool.random(using: &generator)
                host.hasResponded = Bool.random(using: &generator)
                host.canReturn = Bool.random(using: &generator)
                for _ in 0..<Int.random(in: 0...host.connections, using: &generator) {
                    id += 1
                    host.received[id] = Int64.random(in: 1...9_000_000, using: &generator)
                }
            }
            guard !hosts.isEmpty else { continue }
            shares.observe(hosts, left: 1 << 40, isFree: Bool.random(using: &generator), now: now)
            let numbers = shares.numbers(hosts)
            #expect(numbers.reduce(0, +) <= total)
            // A host that is being tried may wait for its next attempt.
            for (index, number) in numbers.enumerated() where !shares.states[index].isRunning {
                #expect(number <= hosts[index].limit)
            }
            let surplus = shares.surplus(hosts)
            for (host, count) in zip(hosts, surplus) { #expect(count >= 0 && count <= host.connections) }
        }
    }

    @Test("while Haul itself limits the speed, nothing is changed")
    func heldBack() {
        var shares = HostShares(total: 4)
        for tick in 0..<200 {
            let hosts = Self.hosts(2) { host, index in
                host.connections = index == 0 ? 3 : 1
                for id in 0..<host.connections { host.received[index * 10 + id] = Int64(tick * (index == 0 ? 90 : 10)) }
            }
            shares.observe(hosts, left: 1 << 40, isFree: false, now: .milliseconds(tick * 100))
            #expect(shares.numbers(hosts) == [3, 1])
        }
    }
}
