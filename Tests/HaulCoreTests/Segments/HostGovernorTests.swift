import HaulCore
import HaulTestData
import Testing

@Suite("What a host grants to all downloads")
struct HostGovernorTests {
    /// Downloads that use all that they are granted, up to what each of them wants.
    struct World {
        var governor = HostGovernor()
        var now: Duration = .seconds(1)
        var uses: [Int: HostUse] = [:]

        init(_ wants: [Int] = []) {
            for (index, wanted) in wants.enumerated() { join(index + 1, wanting: wanted) }
        }

        mutating func join(_ user: Int, wanting wanted: Int) {
            governor.join(user)
            report(user, HostUse(wanted: wanted))
        }

        mutating func leave(_ user: Int) {
            uses[user] = nil
            governor.leave(user)
        }

        mutating func report(_ user: Int, _ use: HostUse) {
            uses[user] = use
            governor.receive(.uses(use), of: user, now: now)
        }

        /// One after the other hears what it may have, and takes or gives up that much; never its last connection.
        mutating func settle(_ rounds: Int = 4) {
            for _ in 0..<rounds {
                for user in uses.keys.sorted() {
                    guard var use = uses[user] else { continue }
                    let granted = governor.quota(of: user, now: now).connections
                    use.connections = min(max(granted, min(use.connections, 1)), use.wanted)
                    use.delivering = min(use.delivering, use.connections)
                    report(user, use)
                }
            }
        }

        mutating func refuse(_ user: Int, retryAfter: Duration? = nil) {
            guard var use = uses[user] else { return }
            use.connections -= 1
            use.delivering = min(use.delivering, use.connections)
            uses[user] = use
            governor.receive(.refused(left: use.connections, retryAfter: retryAfter), of: user, now: now)
        }

        var total: Int { uses.values.reduce(0) { $0 + $1.connections } }
        var connections: [Int] { uses.keys.sorted().map { uses[$0]?.connections ?? 0 } }
        /// The host serves no more than so many: what is beyond is refused, the latest first, and the others deliver.
        @discardableResult
        mutating func serve(_ limit: Int = .max) -> Int {
            var refused = 0
            while total > limit, let user = uses.keys.sorted().last(where: { uses[$0]?.connections ?? 0 > 0 }) {
                refuse(user)
                refused += 1
            }
            for user in uses.keys.sorted() {
                guard var use = uses[user] else { continue }
                use.delivering = use.connections
                report(user, use)
            }
            return refused
        }
    }

    @Test("a host that has not refused any grants anything, whoever is there", arguments: 1...4)
    func unknown(count: Int) {
        var world = World(Array(repeating: 6, count: count))
        world.settle()
        #expect(world.connections == Array(repeating: 6, count: count))
        #expect(world.governor.quota(of: 1, now: world.now).limit == nil)
        #expect(world.governor.waking(now: world.now).isEmpty)
    }

    @Test("fair shares of what is allowed: every limit, every number of downloads, every wish", arguments: 1...9, 1...6)
    func shares(limit: Int, count: Int) {
        for wanted in 1...7 {
            var world = World(Array(repeating: wanted, count: count))
            world.settle()
            let refused = world.serve(limit)
            #expect(refused == max(0, wanted * count - limit))
            world.settle()
            let got = world.connections
            #expect(world.total == min(limit, wanted * count), "\(got)")
            // Nobody has two less than another, and those that came first have more.
            #expect((got.max() ?? 0) - (got.min() ?? 0) <= 1, "\(got)")
            if refused > 0 { #expect(world.serve(limit) == 0) }
        }
    }

    @Test("what one does not want the others have; a place that is free goes to the one that waits longest")
    func waterFilling() {
        var world = World([1, 8, 8])
        world.settle()
        world.serve(7)
        world.settle()
        #expect(world.connections == [1, 3, 3])
        for user in 4...9 { world.join(user, wanting: 1) }
        world.settle()
        #expect(world.connections == [1, 1, 1, 1, 1, 1, 1, 0, 0])
        world.leave(2)
        #expect(world.governor.waking(now: world.now) == [8])
        world.settle()
        #expect(world.connections == [1, 1, 1, 1, 1, 1, 1, 0])
    }

    @Test("a promised place is nobody else's, however late the one to whom it was promised takes it")
    func promised() {
        var world = World([2, 2])
        world.settle()
        #expect(world.serve(3) == 1)
        world.report(1, HostUse(connections: 1, delivering: 1, wanted: 1))
        #expect(world.governor.quota(of: 2, now: world.now).connections == 2)
        world.report(1, HostUse(connections: 1, delivering: 1, wanted: 2))
        // Both would like what is left, if anything.
        #expect(world.governor.quota(of: 1, now: world.now).connections == 1)
        world.report(2, HostUse(connections: 1, delivering: 1, wanted: 1))
        #expect(world.governor.waking(now: world.now) == [1])
        #expect(world.governor.quota(of: 1, now: world.now).connections == 2)
    }

    @Test(
        "after a refusal nobody tries one more until the time has come; then one does, and each refusal doubles the time"
    )
    func recovery() {
        var world = World([8, 8, 8])
        world.settle()
        #expect(world.serve(4) == 20)
        for hold in [10, 20, 40, 80, 160, 320, 600, 600] {
            world.now += .seconds(hold) - .milliseconds(1)
            world.settle()
            #expect(world.total == 4)
            world.now += .milliseconds(1)
            world.settle()
            #expect(world.serve(4) == 1)
            world.settle()
            #expect(world.total == 4)
        }
    }

    @Test("a host that serves more again is used in steps that double")
    func growth() {
        var world = World([8, 8, 8])
        world.settle()
        world.serve(4)
        world.now += .seconds(10)
        var totals: [Int] = []
        for _ in 0..<6 {
            world.settle()
            world.serve()
            totals.append(world.total)
        }
        #expect(totals == [5, 7, 11, 19, 24, 24])
        // What is refused then holds for the first time again.
        world.serve(6)
        world.now += .seconds(10)
        world.settle()
        #expect(world.total == 7)
    }

    @Test("a server that says when is obeyed, and a refusal of the only connection is no matter of how many")
    func retryAfter() {
        var world = World([2, 2])
        world.settle()
        world.refuse(2, retryAfter: .seconds(100))
        world.now += .seconds(99)
        world.settle()
        #expect(world.total == 3)
        var alone = World([1])
        alone.settle()
        alone.refuse(1)
        #expect(alone.governor.quota(of: 1, now: alone.now).connections == .max)
    }

    @Test("what had worked and is refused once is bad timing: no ceiling, nobody has to end, asked again soon")
    func surprise() {
        var world = World([2, 2, 2])
        world.settle()
        world.serve()
        for hold in [100, 200, 400, 800, 1600] {
            world.refuse(2)
            world.settle()
            #expect(world.total == 5 && world.uses[1]?.connections == 2)
            world.now += .milliseconds(hold - 1)
            world.settle()
            #expect(world.total == 5)
            world.now += .milliseconds(1)
            // It is asked again, and the answer is not there yet.
            #expect(world.governor.quota(of: 2, now: world.now).connections == .max)
            world.uses[2]?.connections = 2
            world.report(2, HostUse(connections: 2, delivering: 1, wanted: 2))
        }
        world.refuse(2)
        world.now += .seconds(9)
        world.settle()
        #expect(world.total == 5)
    }

    @Test("single failures among many that work never become a limit")
    func chance() {
        var world = World(Array(repeating: 1, count: 16))
        world.settle()
        world.serve()
        for round in 0..<100 {
            world.refuse(round % 16 + 1)
            world.now += .milliseconds(100)
            world.settle()
            world.serve()
            #expect(world.total == 16)
        }
    }

    @Test("what paid is told to those that follow; a host of which nothing is known can be forgotten")
    func memory() {
        var governor = HostGovernor()
        #expect(governor.isBlank)
        governor.join(1)
        #expect(!governor.isIdle && governor.quota(of: 1, now: .zero).optimum == nil)
        governor.receive(.optimum(4), of: 1, now: .zero)
        governor.leave(1)
        #expect(governor.isIdle && !governor.isBlank)
        governor.join(2)
        #expect(governor.quota(of: 2, now: .zero).optimum == 4)
        var blank = HostGovernor()
        blank.join(1)
        blank.leave(1)
        #expect(blank == HostGovernor() && blank.isBlank)
    }

    @Test(
        "whatever happens: never more than is allowed once that is known, and no place stays empty", arguments: 0..<40)
    func anything(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var world = World([2, 3])
        var next = 3
        let limit = Int.random(in: 1...8, using: &generator)
        for _ in 0..<200 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0:
                world.join(next, wanting: Int.random(in: 1...6, using: &generator))
                next += 1
            case 1: if let user = world.uses.keys.sorted().randomElement(using: &generator) { world.leave(user) }
            case 2: world.now += .milliseconds(Int.random(in: 1...500, using: &generator))
            case 3:
                guard let user = world.uses.keys.sorted().randomElement(using: &generator), var use = world.uses[user]
                else { continue }
                use.wanted = max(use.connections, Int.random(in: 1...6, using: &generator))
                world.report(user, use)
            default: break
            }
            let known = world.governor.quota(of: world.uses.keys.min() ?? 0, now: world.now)
            world.settle()
            let refused = world.serve(limit)
            if let ceiling = known.limit, ceiling == limit, known.fullUntil.map({ $0 > world.now }) ?? false {
                #expect(refused == 0, "seed \(seed)")
            }
        }
        // With more wishes than places, all places are used.
        for _ in 0..<8 {
            world.now += .seconds(1)
            world.join(next, wanting: 8)
            next += 1
            world.settle()
            world.serve(limit)
        }
        world.settle()
        world.serve(limit)
        world.settle()
        #expect(world.total == limit, "seed \(seed)")
    }

    @Test("a download hears whether the host serves any of the others")
    func serving() {
        var world = World([1, 1])
        world.report(1, HostUse(connections: 1, wanted: 1))
        #expect(!world.governor.quota(of: 2, now: world.now).isServing)
        world.report(1, HostUse(connections: 1, delivering: 1, wanted: 1))
        #expect(world.governor.quota(of: 2, now: world.now).isServing)
        #expect(!world.governor.quota(of: 1, now: world.now).isServing)
    }
}
