import HaulCore
import Testing

@Suite("How many connections")
struct ConnectionGovernorTests {
    /// Feeds a server that gives `rate(n)` bytes per second over n connections.
    static func settle(_ governor: inout ConnectionGovernor, rate: (Int) -> Double) -> Int {
        var received = 0.0
        for tick in 0..<200 {
            let now = Duration.milliseconds(tick * 100)
            let active = governor.allowed(now: now)
            received += rate(active) / 10
            governor.observe(received: Int64(received), active: active, latency: .milliseconds(20), now: now)
        }
        return governor.allowed(now: .seconds(20))
    }

    @Test("a limit per connection brings all that are allowed")
    func perConnection() {
        var governor = ConnectionGovernor(.automatic(limit: 6))
        #expect(governor.allowed(now: .zero) == 1)
        #expect(Self.settle(&governor) { Double($0) * 1_000_000 } == 6)
    }

    /// A server that sends each connection bursts of a hundred thousand bytes.
    private struct Bursts {
        var period: Duration
        var begins: [Duration] = []
        var left: Int64 = 0

        func received(now: Duration) -> Int64 { begins.reduce(left) { $0 + received(since: $1, now: now) } }

        mutating func end(now: Duration) { left += received(since: begins.removeLast(), now: now) }

        private func received(since begin: Duration, now: Duration) -> Int64 {
            now < begin ? 0 : (1 + Int64((now - begin) / period)) * 100_000
        }
    }

    @Test(
        "a limit per connection brings all that are allowed, however coarsely it is kept",
        arguments: [20, 110, 150, 200, 250, 400, 500], 0..<10)
    func bursts(period: Int, seed: UInt64) {
        var generator = FuzzText(seed: seed)
        var governor = ConnectionGovernor(.automatic(limit: 6))
        var server = Bursts(period: .milliseconds(period))
        for tick in 0..<200 {
            let now = Duration.milliseconds(tick * 100) + .microseconds(Int.random(in: 0..<5_000, using: &generator))
            while server.begins.count < governor.allowed(now: now) {
                server.begins.append(now + .milliseconds(Int.random(in: 1..<90, using: &generator)))
            }
            while server.begins.count > governor.allowed(now: now) { server.end(now: now) }
            let active = server.begins.count { $0 <= now }
            guard active > 0 else { continue }
            governor.observe(received: server.received(now: now), active: active, latency: .milliseconds(5), now: now)
        }
        #expect(governor.allowed(now: .seconds(20)) == 6)
    }

    /// How many connections it allows, every tenth of a second.
    private static func watch(
        _ governor: inout ConnectionGovernor, seconds: Int, left: Int64 = .max, isFree: Bool = true,
        rate: (_ tick: Int, Int) -> Double
    ) -> [Int] {
        var received = 0.0
        return (0..<seconds * 10).map { tick in
            let now = Duration.milliseconds(tick * 100)
            let active = governor.allowed(now: now)
            received += rate(tick, active) / 10
            governor.observe(
                received: Int64(received), left: left, active: active, latency: .milliseconds(20), isFree: isFree,
                now: now)
            return active
        }
    }

    /// How many connections one that begins with all allows, every tenth of a second.
    private static func ease(
        seconds: Int, left: Int64 = .max, isFree: Bool = true, rate: (_ tick: Int, Int) -> Double
    ) -> (governor: ConnectionGovernor, allowed: [Int]) {
        var governor = ConnectionGovernor(.automatic(limit: 6))
        governor.startAtLimit(now: .zero)
        let allowed = watch(&governor, seconds: seconds, left: left, isFree: isFree, rate: rate)
        return (governor, allowed)
    }

    @Test(
        "one that begins with all goes down to those that bring as much", arguments: [(1, 1), (2, 3), (3, 3), (4, 6)])
    func easesDown(filling: Int, expected: Int) {
        var (governor, allowed) = Self.ease(seconds: 40) { Double(min($1, filling)) * 1e6 }
        #expect(allowed.prefix(100).allSatisfy { $0 == 6 })
        #expect(allowed[200] == expected && governor.optimum == expected)
        governor.startAtLimit(now: .seconds(40))
        #expect(governor.allowed(now: .seconds(40)) == allowed.last)
    }

    @Test("where each connection counts, fewer are tried once")
    func easesOnce() {
        let (governor, allowed) = Self.ease(seconds: 600) { Double($1) * 1e6 }
        let tries = allowed.indices.dropFirst().count { allowed[$0] < allowed[$0 - 1] }
        #expect(tries == 1 && allowed.count { $0 < 6 } <= 12 && allowed.contains(3))
        #expect(governor.optimum == 6)
    }

    @Test("chance makes no download slower than all connections would", arguments: 0..<20)
    func easesInNoise(seed: UInt64) {
        var generator = FuzzText(seed: seed)
        let (_, allowed) = Self.ease(seconds: 600) {
            Double(min($1, 4)) * Double.random(in: 0.9...1.1, using: &generator) * 1e6
        }
        #expect(allowed.count { $0 < 4 } < 150)
    }

    @Test(
        "near its end, and beside what holds it back, it keeps what it has",
        arguments: [(50_000_000, true), (.max, false)])
    func easesNever(left: Int64, isFree: Bool) {
        #expect(Self.ease(seconds: 60, left: left, isFree: isFree) { _, _ in 10e6 }.allowed.allSatisfy { $0 == 6 })
    }

    @Test("what is known of the host counts more than to begin with all")
    func startsAtLimit() {
        var refused = ConnectionGovernor(.automatic(limit: 6))
        refused.refused(active: 1, now: .zero, retryAfter: nil)
        refused.startAtLimit(now: .seconds(20))
        #expect(refused.allowed(now: .seconds(20)) == 1)
        var fixed = ConnectionGovernor(.fixed(2))
        fixed.startAtLimit(now: .zero)
        #expect(fixed.allowed(now: .zero) == 2)
        var single = ConnectionGovernor(.automatic(limit: 1))
        single.startAtLimit(now: .zero)
        #expect(Self.watch(&single, seconds: 60) { _, _ in 1e6 }.allSatisfy { $0 == 1 })
    }

    @Test("a line that grows wider is found out, with ever longer rests between the looks")
    func looksAgain() {
        var governor = ConnectionGovernor(.automatic(limit: 8))
        // Limited in all for two minutes, and from then on by connection.
        let allowed = Self.watch(&governor, seconds: 300) { $0 < 1_200 ? 1e6 : Double($1) * 1e6 }
        let looks = allowed.indices.dropFirst().filter { allowed[$0] == 2 && allowed[$0 - 1] == 1 }.map { $0 / 10 }
        #expect(looks == [0, 4, 12, 26, 52, 103, 165])
        #expect(allowed.last == 8 && governor.optimum == 8)
    }

    @Test("a full line is not taken for one that pays, however often it is looked at", arguments: 0..<20)
    func noise(seed: UInt64) {
        var generator = FuzzText(seed: seed)
        var governor = ConnectionGovernor(.automatic(limit: 6))
        let allowed = Self.watch(&governor, seconds: 3_600) { _, _ in
            Double.random(in: 0.8...1.2, using: &generator) * 1e7
        }
        // Chance may win at first, where it is judged within two tenths of a second.
        #expect(allowed.suffix(36_000 - 30).allSatisfy { $0 <= 2 * allowed[30] })
        #expect(governor.allowed(now: .seconds(3_600)) == allowed[30])
    }

    @Test("what holds the connections back besides, or others that share the host, is no time to look")
    func notFree() {
        var governor = ConnectionGovernor(.automatic(limit: 8))
        let allowed = Self.watch(&governor, seconds: 300, isFree: false) { $0 < 1_200 ? 1e6 : Double($1) * 1e6 }
        #expect(allowed.count { $0 > 1 } == 3 && allowed.dropFirst(10).allSatisfy { $0 == 1 })
        var looking = ConnectionGovernor(.automatic(limit: 8))
        _ = Self.watch(&looking, seconds: 5) { _, _ in 1e6 }
        #expect(looking.allowed(now: .seconds(5)) == 2)
        looking.observe(received: 7_000_000, active: 1, latency: .zero, isFree: false, now: .seconds(5))
        #expect(looking.allowed(now: .seconds(5)) == 1)
    }

    @Test("after a refusal nothing is known, and the next look is not far")
    func refusalForgets() {
        var governor = ConnectionGovernor(.automatic(limit: 6))
        _ = Self.watch(&governor, seconds: 60) { Double(min($1, 4)) * 1e6 }
        #expect(governor.optimum == 4)
        governor.refused(active: 1, now: .seconds(60), retryAfter: nil)
        #expect(governor.optimum == nil && governor.allowed(now: .seconds(61)) == 1)
    }

    @Test("a full line stays with few")
    func fullLine() {
        var governor = ConnectionGovernor(.automatic(limit: 16))
        #expect(Self.settle(&governor) { _ in 10_000_000 } == 1)
    }

    @Test("a line that four connections fill stays at four or fewer")
    func fourFill() {
        var governor = ConnectionGovernor(.automatic(limit: 32))
        #expect((3...8).contains(Self.settle(&governor) { Double(min($0, 4)) * 1_000_000 }))
    }

    @Test("a last step that the limit cut short goes back to where it came from, not to the half", arguments: 5...8)
    func cutStep(limit: Int) {
        var governor = ConnectionGovernor(.automatic(limit: limit))
        #expect(Self.settle(&governor) { Double(min($0, 4)) * 1_000_000 } == 4)
        #expect(governor.optimum == 4)
        var optimum = ConnectionGovernor(.automatic(limit: limit))
        #expect(Self.settle(&optimum) { Double($0) * 1_000_000 } == limit)
    }

    @Test("what paid for another download is begun with; a download that knows better is left alone", arguments: 0...9)
    func begins(count: Int) {
        var governor = ConnectionGovernor(.automatic(limit: 6))
        #expect(governor.optimum == nil)
        governor.start(at: count)
        #expect(governor.allowed(now: .zero) == min(6, max(1, count)))
        governor.observe(received: 0, active: 1, latency: .zero, now: .zero)
        governor.start(at: 3)
        #expect(governor.allowed(now: .zero) == min(6, max(1, count)))
        var fixed = ConnectionGovernor(.fixed(4))
        fixed.start(at: count)
        #expect(fixed.allowed(now: .zero) == 4 && fixed.optimum == nil)
    }

    @Test("what it has found is what the next download begins with")
    func optimum() {
        var governor = ConnectionGovernor(.automatic(limit: 32))
        let settled = Self.settle(&governor) { Double(min($0, 8)) * 1_000_000 }
        #expect(settled == 8 && governor.optimum == 8)
        var next = ConnectionGovernor(.automatic(limit: 32))
        next.start(at: 8)
        #expect(Self.settle(&next) { Double(min($0, 8)) * 1_000_000 } == 8)
    }

    @Test("a fixed number begins at once", arguments: [1, 2, 8, 64])
    func fixed(count: Int) {
        #expect(ConnectionGovernor(.fixed(count)).allowed(now: .zero) == count)
    }

    @Test("a refusal means fewer for a while, then another try; each refusal holds longer")
    func refused() {
        var governor = ConnectionGovernor(.fixed(8))
        governor.refused(active: 4, now: .seconds(1), retryAfter: nil)
        #expect(governor.allowed(now: .seconds(2)) == 4)
        #expect(governor.allowed(now: .seconds(11)) == 8)
        governor.refused(active: 4, now: .seconds(11), retryAfter: nil)
        #expect(governor.allowed(now: .seconds(30)) == 4)
        #expect(governor.allowed(now: .seconds(31)) == 8)
        governor.refused(active: 0, now: .seconds(40), retryAfter: .seconds(3_000))
        #expect(governor.allowed(now: .seconds(3_000)) == 1)
    }

    @Test("what had worked before and is refused once is tried again soon, a few times; then it counts")
    func surprise() {
        var governor = ConnectionGovernor(.fixed(8))
        governor.refused(active: 4, now: .zero, retryAfter: nil)
        governor.observe(received: 1_000_000, active: 4, latency: .zero, now: .seconds(1))
        for (index, hold) in [100, 200, 400, 800, 1600].enumerated() {
            let now = Duration.seconds(2 + index)
            governor.refused(active: 3, now: now, retryAfter: nil)
            #expect(governor.allowed(now: now) == 3)
            #expect(governor.allowed(now: now + .milliseconds(hold - 1)) == 3)
            // Not more than what an earlier refusal left.
            #expect(governor.allowed(now: now + .milliseconds(hold)) == 4)
        }
        governor.refused(active: 3, now: .seconds(9), retryAfter: nil)
        #expect(governor.allowed(now: .seconds(18)) == 3)
        #expect(governor.allowed(now: .seconds(19)) == 8)
    }

    @Test("a server that says when is obeyed, whatever had worked before")
    func surpriseWithTime() {
        var governor = ConnectionGovernor(.fixed(8))
        governor.observe(received: 1_000_000, active: 8, latency: .zero, now: .seconds(1))
        governor.refused(active: 7, now: .seconds(2), retryAfter: .seconds(60))
        #expect(governor.allowed(now: .seconds(61)) == 7)
    }

    @Test("refusals in one burst hold no longer than one, and the next one holds twice as long", arguments: [1, 2, 5])
    func burst(count: Int) {
        var governor = ConnectionGovernor(.fixed(8))
        for _ in 0..<count { governor.refused(active: 3, now: .seconds(1), retryAfter: nil) }
        #expect(governor.allowed(now: .milliseconds(10_999)) == 3)
        #expect(governor.allowed(now: .seconds(11)) == 8)
        governor.refused(active: 3, now: .seconds(20), retryAfter: nil)
        #expect(governor.allowed(now: .milliseconds(39_999)) == 3)
        #expect(governor.allowed(now: .seconds(40)) == 8)
    }

    @Test("automatic: a refusal holds, and after it more are tried again")
    func automaticAfterRefusal() {
        var governor = ConnectionGovernor(.automatic(limit: 6))
        #expect(Self.settle(&governor) { Double($0) * 1_000_000 } == 6)
        governor.refused(active: 2, now: .seconds(20), retryAfter: nil)
        var received = 0.0
        for tick in 201...400 {
            let now = Duration.milliseconds(tick * 100)
            let active = governor.allowed(now: now)
            if now < .seconds(30) { #expect(active == 2) }
            received += Double(active) * 100_000
            governor.observe(received: Int64(received), active: active, latency: .milliseconds(20), now: now)
        }
        #expect(governor.allowed(now: .seconds(40)) == 6)
    }
}
