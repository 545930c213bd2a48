import HaulCore
import Testing

@Suite("The limits of a download: wait, time and speed")
struct LimitsMachineTests {
    static func busy(_ driver: inout MachineDriver, _ seconds: Int64?) throws {
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .busy(status: 503, retryAfter: seconds)))
        driver.give(.ended(fetch: plan.id, position: 0, .rejected))
        driver.give(.closed)
    }

    @Test(
        "a longer Retry-After fails at once, with the time in the message; another one is waited for",
        arguments: [(nil, nil), (60, nil), (61, "61 s (1 min 1 s)"), (3600, "3600 s (1 h)")] as [(Int64?, String?)])
    func maxWait(asked: Int64?, words: String?) throws {
        var driver = try MachineDriver { $0.maxWait = .seconds(60) }
        try Self.busy(&driver, asked)
        guard let words else { return #expect(driver.machine.result == nil && driver.waits.count == 1) }
        #expect(driver.failure?.code == .serverBusy)
        #expect(
            driver.failure?.message
                == "the server returned 503 Service Unavailable and asks to wait \(words), longer than the 60 s allowed"
        )
        #expect(driver.waits == [])
    }

    @Test(
        "without a limit any time is waited, but never more than a day",
        arguments: [3600, 86_400, 31_536_000] as [Int64])
    func anyWait(asked: Int64) throws {
        var driver = try MachineDriver()
        try Self.busy(&driver, asked)
        #expect(driver.machine.result == nil && driver.waits == [Double(min(asked, 86_400))])
    }

    @Test("one that is not complete in time fails, with what has come kept", arguments: [true, false])
    func maxTime(isWaiting: Bool) throws {
        var driver = try MachineDriver {
            $0.maxTime = .seconds(5)
            $0.retries = 1000
        }
        if isWaiting {
            try Self.busy(&driver, 3600)
        } else {
            try driver.start(total: 1 << 20)
        }
        driver.pass(.milliseconds(4900))
        #expect(driver.machine.result == nil)
        driver.pass(.milliseconds(100))
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: 1000, .cancelled)) }
        driver.give(.closed)
        #expect(driver.failure == DownloadError(.timedOut, "not complete after 5 s, the maximum time"))
    }

    @Test("a file that is complete is not given up for its time")
    func verifying() throws {
        var driver = try MachineDriver { $0.maxTime = .seconds(5) }
        try driver.start(total: 1000)
        driver.complete(try #require(driver.running.first))
        driver.pass(.seconds(60))
        driver.finish()
        driver.give(.closed)
        #expect(driver.failure == nil)
    }

    /// Has all connections bring this number of bytes a second for so long.
    static func receive(_ driver: inout MachineDriver, _ bytesPerSecond: Int64, for duration: Duration) {
        let end = driver.now + duration
        var positions = Dictionary(uniqueKeysWithValues: driver.running.map { ($0.id, $0.position) })
        while driver.now < end {
            driver.now += .milliseconds(100)
            for plan in driver.running { positions[plan.id, default: plan.position] += bytesPerSecond / 10 }
            let effects = driver.give(
                .tick(
                    driver.running.map {
                        let position = positions[$0.id] ?? $0.position
                        return FetchSample(
                            id: $0.id, position: position, received: position - $0.position, isHeldBack: false)
                    }))
            for case .network(.cancel(let id)) in effects {
                driver.give(.ended(fetch: id, position: positions[id] ?? 0, .cancelled))
            }
        }
        driver.give(.closed)
    }

    @Test("a slow attempt is broken off and counts, however much it brings", arguments: [1, 3], 0...2)
    func minSpeed(connections: Int, retries: Int) throws {
        var driver = try MachineDriver(connections: .fixed(connections)) {
            $0.minSpeed = MinimumSpeed(bytesPerSecond: 1 << 20, seconds: 10)
            $0.retries = retries
        }
        try driver.start(total: 1 << 40)
        var attempts = 0
        while driver.machine.result == nil, attempts < 10 {
            attempts += 1
            if driver.running.isEmpty { driver.pass(.seconds(60)) }
            for plan in driver.running {
                let facts = ResponseFacts(offset: plan.position, end: plan.end, total: 1 << 40, servesRanges: true)
                driver.give(.head(fetch: plan.id, .take(facts)))
            }
            Self.receive(&driver, 100_000, for: .seconds(11))
        }
        #expect(attempts == retries + 1)
        #expect(driver.failure == DownloadError(.timedOut, "slower than 1.0 MiB/s for 10 s"))
    }

    @Test("a fast one is left alone")
    func fast() throws {
        var driver = try MachineDriver { $0.minSpeed = MinimumSpeed(bytesPerSecond: 1 << 20, seconds: 10) }
        try driver.start(total: 1 << 40)
        Self.receive(&driver, 2 << 20, for: .seconds(60))
        #expect(driver.machine.result == nil && driver.waits == [])
    }

    @Test("the end of the maximum time is known without a tick, while bytes are awaited")
    func overdue() throws {
        var driver = try MachineDriver { $0.maxTime = .seconds(5) }
        #expect(!driver.machine.isOverdue(now: .seconds(9)))
        try driver.start(total: 1 << 20)
        #expect(!driver.machine.isOverdue(now: .milliseconds(4999)) && driver.machine.isOverdue(now: .seconds(5)))
        driver.now = .seconds(5)
        driver.give(.tick([]))
        #expect(!driver.machine.isOverdue(now: .seconds(9)))
    }
}
