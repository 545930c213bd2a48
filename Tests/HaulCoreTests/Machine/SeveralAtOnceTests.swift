import Testing

@testable import HaulCore

@Suite("A download that has a host for itself begins with several connections")
struct SeveralAtOnceTests {
    static let total: Int64 = 1 << 30

    /// Begins a download whose first answer takes `latency`.
    private static func start(
        total: Int64 = total, latency: Duration, _ quota: ConnectionQuota = ConnectionQuota()
    ) throws -> MachineDriver {
        var driver = try MachineDriver(connections: .automatic(limit: 6))
        driver.give(.host(0, quota))
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.now += latency
        let facts = ResponseFacts(
            offset: 0, end: total, total: total, validators: Validators(etag: "\"v1\""), servesRanges: true)
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        return driver
    }

    /// The number of connections after a tenth of a second that brought so many bytes.
    private static func tick(_ driver: inout MachineDriver, received: Int64, isHeldBack: Bool = false) -> Int {
        driver.now += .milliseconds(100)
        driver.give(
            .tick([
                FetchSample(id: driver.running[0].id, position: received, received: received, isHeldBack: isHeldBack)
            ]))
        return driver.running.count
    }

    @Test("a large file from far away: as soon as its size is known", arguments: [10, 100, 3_000])
    func far(latency: Int) throws {
        #expect(try Self.start(latency: .milliseconds(latency)).running.count == 6)
    }

    @Test("a near host, or a small file: once it is seen that one connection does not bring it at once")
    func near() throws {
        for (total, latency, first) in [(Self.total, 9, 2), (8 << 20, 9, 1), (8 << 20 - 1, 500, 1)] {
            var driver = try Self.start(total: total, latency: .milliseconds(latency))
            #expect(driver.running.count == first)
            #expect(Self.tick(&driver, received: 6_000) == 6)
        }
    }

    @Test(
        "a connection that is as fast as the machine is joined by one other, if the file is huge, and by more after 3 s"
    )
    func fast() throws {
        var small = try Self.start(total: 60 << 20, latency: .milliseconds(1))
        #expect(Self.tick(&small, received: 30_000_000) == 1)
        var driver = try Self.start(total: 1 << 40, latency: .milliseconds(1))
        var received: Int64 = 0
        while driver.now < .seconds(3) {
            received += 30_000_000
            #expect(Self.tickAll(&driver, received) == 2)
        }
        while driver.now < .seconds(5), driver.running.count == 2 {
            received += 30_000_000
            _ = Self.tickAll(&driver, received)
        }
        #expect(driver.running.count == 4)
    }

    /// The number of connections after a tenth of a second, each of which has brought so many bytes by now.
    private static func tickAll(_ driver: inout MachineDriver, _ received: Int64) -> Int {
        driver.now += .milliseconds(100)
        for plan in driver.running where driver.machine.fetches[plan.id]?.isAccepted == false {
            let facts = ResponseFacts(
                offset: plan.position, end: 1 << 40, total: 1 << 40, validators: Validators(etag: "\"v1\""),
                servesRanges: true)
            driver.give(.head(fetch: plan.id, .take(facts)))
        }
        driver.give(
            .tick(
                driver.running.map {
                    FetchSample(
                        id: $0.id, position: $0.position + received, received: received, isHeldBack: false)
                }))
        return driver.running.count
    }

    @Test(
        "what Haul holds back itself, or shares with other downloads, begins with one; what is known of a host is used")
    func known() throws {
        var held = try Self.start(latency: .milliseconds(1))
        #expect(Self.tick(&held, received: 10_000, isHeldBack: true) == 2)
        var quota = ConnectionQuota()
        quota.isShared = true
        #expect(try Self.start(latency: .milliseconds(100), quota).running.count == 1)
        (quota.isShared, quota.optimum) = (false, 2)
        #expect(try Self.start(latency: .milliseconds(100), quota).running.count == 2)
    }

    @Test("one slow connection among the first ones does not keep the others away")
    func straggler() throws {
        var driver = try Self.start(latency: .milliseconds(1))
        for _ in 0..<20 { _ = Self.tick(&driver, received: 6_400) }
        #expect(driver.running.count == 6)
    }
}
