import HaulCore
import Testing

@Suite("A link that is good for one request")
struct OneUseTests {
    static let total: Int64 = 64 << 20

    static func refuse(_ plan: FetchPlan, _ status: Int, in driver: inout MachineDriver) {
        driver.give(.head(fetch: plan.id, .denied(status: status)))
        driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
    }

    static func accept(_ plan: FetchPlan, in driver: inout MachineDriver) {
        let facts = ResponseFacts(
            offset: plan.ask.offset, end: plan.end, total: total, validators: Validators(etag: "\"v1\""),
            servesRanges: true)
        driver.give(.head(fetch: plan.id, .take(facts)))
    }

    @Test(
        "the others are refused, in any order: the first one fetches all of it",
        arguments: [401, 403, 404, 410], [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]])
    func refused(status: Int, order: [Int]) throws {
        var driver = try MachineDriver(connections: .fixed(4))
        try driver.start(total: Self.total)
        let plans = driver.running
        #expect(plans.count == 4 && plans.dropFirst().allSatisfy { $0.hedge == .untilResponse(fetch: 1) })
        for index in order { Self.refuse(plans[index], status, in: &driver) }
        #expect(driver.running.map(\.id) == [1] && driver.machine.map.segments.count == 1)
        driver.pass(.seconds(25))
        #expect(driver.running.map(\.id) == [1], "nothing more is asked of such a link")
        driver.give(.ended(fetch: 1, position: Self.total, .complete))
        driver.finish()
        #expect(driver.ends == 1 && driver.failure == nil)
    }

    @Test("one of the others is answered: the first one ends where that one begins", arguments: 1...3)
    func responded(index: Int) throws {
        var driver = try MachineDriver(connections: .fixed(4))
        try driver.start(total: Self.total)
        let plans = driver.running
        Self.accept(plans[index], in: &driver)
        for other in plans.dropFirst() where other.id != plans[index].id { Self.refuse(other, 403, in: &driver) }
        // What lies before it is the first one's again; what lies behind it waits for a connection.
        #expect(driver.machine.map.end(of: 0) == plans[index].position)
        driver.give(.ended(fetch: 1, position: plans[index].position, .enough))
        #expect(driver.failure == nil && driver.machine.result == nil)
    }

    @Test("the first one is faster than the others' answers: it keeps what it has written, and they are not waited for")
    func faster() throws {
        var driver = try MachineDriver(connections: .fixed(4))
        try driver.start(total: Self.total)
        let plans = driver.running
        let second = try #require(plans.dropFirst().map(\.position).min())
        driver.now += .milliseconds(100)
        let effects = driver.give(.tick([FetchSample(id: 1, position: second + 1, received: 9, isHeldBack: false)]))
        let lost = try #require(plans.first { $0.position == second })
        #expect(effects.contains(.network(.cancel(lost.id))))
        #expect(driver.machine.map.segment(0)?.position == second + 1)
        driver.give(.ended(fetch: 1, position: Self.total, .complete))
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
        driver.finish()
        #expect(driver.failure == nil && driver.ends == 1)
    }

    @Test("the first one breaks later: the link has expired, and what is there is kept")
    func breaks() throws {
        var driver = try MachineDriver(connections: .fixed(2))
        try driver.start(total: Self.total)
        Self.refuse(driver.running[1], 403, in: &driver)
        driver.give(.ended(fetch: 1, position: 1 << 20, DownloadMachineFaultTests.cut))
        let next = try #require(driver.running.first)
        #expect(next.position == 1 << 20 && next.end == Self.total)
        driver.give(.head(fetch: next.id, .denied(status: 403)))
        #expect(driver.give(.ended(fetch: next.id, position: next.position, .rejected)) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.code == .linkExpired)
    }

    @Test("a source that has answered twice is taken over from at once")
    func proven() throws {
        var driver = try MachineDriver(connections: .fixed(2))
        try driver.start(total: Self.total)
        Self.accept(driver.running[1], in: &driver)
        let second = driver.running[1]
        driver.give(.ended(fetch: second.id, position: Self.total, .complete))
        let third = try #require(driver.running.last)
        #expect(third.id > second.id && third.hedge == nil)
    }
}

@Suite("A link that expires while connections run")
struct ExpiringLinkTests {
    /// A download over three connections, all of which have delivered.
    private static func start(url: String = "http://host/file") throws -> MachineDriver {
        var driver = try MachineDriver(connections: .fixed(3))
        try driver.start(total: OneUseTests.total)
        for plan in driver.running.dropFirst() { OneUseTests.accept(plan, in: &driver) }
        driver.now += .milliseconds(100)
        driver.give(
            .tick(
                driver.running.map {
                    FetchSample(id: $0.id, position: $0.position + 100_000, received: 100_000, isHeldBack: false)
                }))
        return driver
    }

    @Test(
        "those that run go on, nothing more is asked meanwhile, and nobody hears of fewer connections",
        arguments: [401, 403, 410])
    func expires(status: Int) throws {
        var driver = try Self.start()
        let running = driver.running
        let broken = try #require(running.last)
        driver.give(.ended(fetch: broken.id, position: broken.position + 100_000, DownloadMachineFaultTests.cut))
        var refusals = 0
        for _ in 0..<200 {
            for plan in driver.running where !running.contains(plan) {
                OneUseTests.refuse(plan, status, in: &driver)
                refusals += 1
            }
            driver.now += .milliseconds(100)
            driver.give(
                .tick(
                    driver.running.map {
                        FetchSample(id: $0.id, position: $0.position, received: 5, isHeldBack: true)
                    }))
        }
        #expect(driver.running == Array(running.dropLast()))
        #expect(status == 403 ? refusals == 6 : refusals == 1)
        #expect(driver.events.allSatisfy { if case .notice = $0 { false } else { true } })
        for plan in driver.running {
            driver.give(.ended(fetch: plan.id, position: plan.position + 100_000, DownloadMachineFaultTests.cut))
        }
        while let last = driver.running.first {
            #expect(driver.running.count == 1)
            OneUseTests.refuse(last, status, in: &driver)
        }
        driver.give(.closed)
        #expect(driver.failure?.code == .linkExpired)
    }

    @Test("the redirect that led to it is asked again, for each connection that is refused there")
    func redirected() throws {
        var driver = try MachineDriver(connections: .fixed(3))
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .redirect(location: "http://store/file?sig=1")))
        driver.give(.ended(fetch: 1, position: 0, .rejected))
        OneUseTests.accept(driver.running[0], in: &driver)
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        let first = driver.running
        #expect(first.map(\.url.string) == Array(repeating: "http://store/file?sig=1", count: 3))
        for plan in first.dropFirst() { OneUseTests.refuse(plan, 403, in: &driver) }
        #expect(driver.running.dropFirst().map(\.url.string) == ["http://host/file", "http://host/file"])
        for plan in driver.running.dropFirst() {
            driver.give(.head(fetch: plan.id, .redirect(location: "http://store/file?sig=2")))
            driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
        }
        let second = driver.running.dropFirst()
        #expect(second.allSatisfy { $0.url.string == "http://store/file?sig=2" } && second.count == 2)
        // Refused behind a new redirect, too: there are too many of them.
        for plan in second { OneUseTests.refuse(plan, 403, in: &driver) }
        #expect(driver.running.count == 1)
    }
}
