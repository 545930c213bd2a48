import HaulCore
import Testing

@Suite("A download beside others of the same host")
struct HostQuotaMachineTests {
    static func quota(
        _ connections: Int, limit: Int? = 4, isFull: Bool = true, until: Duration? = nil
    ) -> ConnectionQuota {
        var quota = ConnectionQuota()
        (quota.connections, quota.limit, quota.isShared) = (connections, limit, true)
        (quota.isFull, quota.fullUntil) = (isFull, until)
        return quota
    }

    static func begun(_ connections: ConnectionLimit = .fixed(1)) throws -> MachineDriver {
        var driver = try MachineDriver(connections: connections)
        driver.give(.host(0, quota(1)))
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        return driver
    }

    static func waits(_ driver: MachineDriver) -> [WaitReason] {
        driver.events.compactMap { if case .waiting(let reason, _) = $0 { reason } else { nil } }
    }

    @Test("without a place nothing is asked; it says so once, and begins when there is one")
    func begins() throws {
        var driver = try MachineDriver()
        driver.give(.host(0, Self.quota(0, until: .seconds(10))))
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.pass(.seconds(60))
        #expect(driver.running.isEmpty)
        #expect(driver.events.count == 1 && Self.waits(driver) == [.connections(host: "host", limit: 4)])
        #expect(driver.waits.allSatisfy { (9...10).contains($0) })
        driver.give(.host(0, Self.quota(1)))
        #expect(driver.running.count == 1)
        #expect(driver.news == [.uses(HostUse(wanted: 1)), .uses(HostUse(connections: 1, wanted: 1))])
    }

    @Test("refused while others have all places: a wait with a reason, however often", arguments: [429, 503, nil])
    func refused(status: Int?) throws {
        var driver = try Self.begun()
        for round in 1...30 {
            let probe = try #require(driver.running.first)
            driver.news = []
            if let status { driver.give(.head(fetch: probe.id, .busy(status: status, retryAfter: nil))) }
            let broken = DownloadError(.connectionFailed, "reset")
            driver.give(.ended(fetch: probe.id, position: 0, status == nil ? .broken(broken) : .rejected))
            #expect(driver.news.first == .refused(left: 0, retryAfter: nil))
            driver.give(.host(0, Self.quota(0, until: driver.now + .seconds(10))))
            driver.pass(.seconds(9))
            #expect(driver.running.isEmpty && driver.machine.result == nil)
            #expect(Self.waits(driver) == Array(repeating: .connections(host: "host", limit: 4), count: round))
            driver.give(.host(0, Self.quota(1)))
        }
    }

    @Test("where others have fewer than were served, they explain a few refusals only; then tries are counted")
    func odd() throws {
        var driver = try Self.begun()
        for round in 1...6 {
            let probe = try #require(driver.running.first)
            driver.give(.host(0, Self.quota(1, isFull: false)))
            driver.give(.head(fetch: probe.id, .busy(status: 503, retryAfter: nil)))
            driver.give(.ended(fetch: probe.id, position: 0, .rejected))
            let counted = Self.waits(driver).contains { if case .retrying = $0 { true } else { false } }
            #expect(counted == (round == 6))
            driver.give(.host(0, Self.quota(0, isFull: false)))
            driver.give(.host(0, Self.quota(1, isFull: false)))
        }
    }

    @Test("alone, or for another reason, a refusal is what it always was", arguments: [false, true])
    func ordinary(isShared: Bool) throws {
        var driver = try MachineDriver { $0.retries = 0 }
        var quota = Self.quota(1)
        quota.isShared = isShared
        driver.give(.host(0, quota))
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, isShared ? .denied(status: 404) : .busy(status: 503, retryAfter: nil)))
        driver.give(.ended(fetch: probe.id, position: 0, .rejected))
        driver.give(.closed)
        #expect(driver.failure?.code == (isShared ? .notFound : .serverBusy))
        #expect(!driver.news.contains { if case .refused = $0 { true } else { false } })
    }

    @Test("a server that says when is not asked before, though a place is free; nobody keeps one for it meanwhile")
    func retryAfter() throws {
        var driver = try Self.begun()
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .busy(status: 429, retryAfter: 30)))
        driver.give(.ended(fetch: probe.id, position: 0, .rejected))
        #expect(driver.news.contains(.refused(left: 0, retryAfter: .seconds(30))))
        #expect(driver.news.last == .uses(HostUse()))
        driver.give(.host(0, Self.quota(1)))
        driver.pass(.milliseconds(29_900))
        #expect(driver.running.isEmpty)
        #expect(driver.events == [.waiting(.serverAsked(status: 429), seconds: 30)])
        driver.pass(.milliseconds(200))
        #expect(driver.running.count == 1)
    }

    @Test("as many connections as the host grants, and what more it has work for is told", arguments: 1...6)
    func shares(granted: Int) throws {
        var driver = try MachineDriver(connections: .fixed(4))
        driver.give(.host(0, Self.quota(granted)))
        try driver.start(total: 1 << 30)
        #expect(driver.running.count == min(granted, 4))
        #expect(driver.news.contains(.uses(HostUse(connections: min(granted, 4), delivering: 1, wanted: 4))))
        driver.give(.host(0, ConnectionQuota()))
        #expect(driver.running.count == 4)
    }

    @Test("what is granted no more is given up, the newest first, and never the last one", arguments: 0...4)
    func yields(granted: Int) throws {
        var driver = try MachineDriver(connections: .fixed(4))
        try driver.start(total: 1 << 30)
        let running = driver.running.map(\.id)
        #expect(running.count == 4)
        driver.give(.host(0, Self.quota(granted)))
        let samples = driver.running.map {
            FetchSample(id: $0.id, position: $0.position, received: 0, isHeldBack: false)
        }
        let cancelled = driver.give(.tick(samples)).compactMap {
            if case .network(.cancel(let id)) = $0 { id } else { nil }
        }
        #expect(cancelled == Array(running.dropFirst(max(1, granted))))
        for id in cancelled { driver.give(.ended(fetch: id, position: 0, .cancelled)) }
        #expect(driver.running.map(\.id) == Array(running.prefix(max(1, granted))))
    }

    @Test("what paid for another download is used from the first answer on", arguments: [1, 2, 4, 6, 9])
    func remembers(optimum: Int) throws {
        var driver = try MachineDriver(connections: .automatic(limit: 6))
        var quota = ConnectionQuota()
        quota.optimum = optimum
        driver.give(.host(0, quota))
        try driver.start(total: 1 << 30)
        #expect(driver.running.count == min(6, optimum))
    }

    @Test("where the host of one source has no place, another source is asked")
    func mirrors() throws {
        var driver = try MachineDriver { $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] }
        driver.give(.host(0, Self.quota(0)))
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        #expect(driver.running.map(\.url.host) == ["other"])
        #expect(driver.machine.hosts.map(\.host) == ["host", "other"])
    }

    @Test("a number of a host that it does not have changes nothing", arguments: [-1, 1, .max])
    func unknown(number: Int) throws {
        var driver = try MachineDriver()
        #expect(driver.give(.host(number, Self.quota(0))).isEmpty)
        try driver.start(total: 1000)
        #expect(driver.running.count == 1)
        #expect(driver.machine.hosts.map(\.host) == ["host"])
    }

    @Test(
        "a host that serves nobody and refuses is not there; one that serves others has no place",
        arguments: [true, false])
    func refusedConnection(isServing: Bool) throws {
        var driver = try Self.begun()
        var quota = Self.quota(1)
        quota.isServing = isServing
        driver.give(.host(0, quota))
        let error = DownloadError(.connectionFailed, "refused")
        driver.give(.ended(fetch: try #require(driver.running.first).id, position: 0, .unreachable(error)))
        driver.give(.host(0, Self.quota(0, until: driver.now + .seconds(10))))
        driver.pass(.milliseconds(100))
        #expect(
            Self.waits(driver) == [
                isServing ? .connections(host: "host", limit: 4) : .retrying(error, attempt: 1)
            ])
    }

    @Test("a refusal while others use the host takes no bytes away, also from a server without ranges")
    func keepsBytesWithoutRanges() throws {
        var driver = try Self.begun()
        let facts = ResponseFacts(offset: 0, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v1\""))
        driver.give(.head(fetch: 1, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: 1, position: 600_000, .broken(DownloadError(.connectionFailed, "cut"))))
        // The requests for the rest bring the whole file, until it is requested as such.
        for _ in 0..<4 {
            for _ in 0..<600 where driver.running.isEmpty { driver.pass(.milliseconds(100)) }
            let plan = try #require(driver.running.first)
            guard plan.ask.usesRange else { break }
            driver.give(.head(fetch: plan.id, .whole(facts, agreement: .same)))
            driver.give(.ended(fetch: plan.id, position: 600_000, .rejected))
            driver.give(.reopened)
        }
        let whole = try #require(driver.running.first)
        #expect(!whole.ask.usesRange && whole.position == 600_000)
        driver.give(.head(fetch: whole.id, .busy(status: 503, retryAfter: nil)))
        driver.give(.ended(fetch: whole.id, position: 600_000, .rejected))
        driver.give(.reopened)
        #expect(driver.running.isEmpty && driver.machine.map.written == 600_000)
        driver.give(.host(0, Self.quota(1)))
        #expect(driver.running.map(\.position) == [600_000])
    }
}
