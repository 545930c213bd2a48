import HaulCore
import Testing

@Suite("What counts as a failure, and how long it waits")
struct RetryAccountingTests {
    static let cut = FetchEnd.broken(DownloadError(.connectionFailed, "cut"))

    /// Lets every running fetch fail in this instant, in the way that is said.
    static func failAll(_ driver: inout MachineDriver, _ decision: ResponseDecision?) {
        for plan in driver.running {
            if let decision { driver.give(.head(fetch: plan.id, decision)) }
            driver.give(.ended(fetch: plan.id, position: plan.position, decision == nil ? cut : .rejected))
        }
        driver.give(.closed)
    }

    @Test(
        "all connections refused or broken in one instant: one failure, so the retries last as for one connection",
        arguments: [.busy(status: 503, retryAfter: nil), .tryAgain(status: 500), nil] as [ResponseDecision?], 0...3)
    func together(decision: ResponseDecision?, retries: Int) throws {
        var driver = try MachineDriver(connections: .fixed(4)) { $0.retries = retries }
        driver.resume(total: 64 << 20)
        var rounds = 0
        while driver.machine.result == nil, rounds < 20 {
            rounds += 1
            #expect(driver.running.count == 4)
            Self.failAll(&driver, decision)
            if driver.machine.result == nil { driver.pass(.seconds(60)) }
        }
        #expect(rounds == retries + 1)
        #expect(driver.waits.count == retries)
    }

    @Test("all break in one instant after they were accepted: one failure")
    func acceptedTogether() throws {
        var driver = try MachineDriver(connections: .fixed(4)) { $0.retries = 1 }
        driver.resume(total: 64 << 20)
        for plan in driver.running {
            let facts = ResponseFacts(offset: plan.position, end: plan.end, total: 64 << 20, servesRanges: true)
            driver.give(.head(fetch: plan.id, .take(facts)))
        }
        Self.failAll(&driver, nil)
        #expect(driver.machine.result == nil)
        #expect(driver.waits.count == 1)
        driver.pass(.seconds(60))
        Self.failAll(&driver, .busy(status: 503, retryAfter: nil))
        #expect(driver.failure?.code == .serverBusy)
    }

    @Test("the longest wait of those that were asked for together is obeyed")
    func maxBackoff() throws {
        var driver = try MachineDriver(connections: .fixed(3))
        driver.resume(total: 64 << 20)
        for (plan, seconds) in zip(driver.running, [2, 9, 5] as [Int64]) {
            driver.give(.head(fetch: plan.id, .busy(status: 503, retryAfter: seconds)))
            driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
        }
        driver.pass(.milliseconds(8900))
        #expect(driver.running.isEmpty)
        driver.pass(.milliseconds(100))
        #expect(driver.running.count == 3)
    }

    @Test("Retry-After: 0 for ever: the waits grow as without it, and the tries end", arguments: 0...6)
    func retryAfterZero(retries: Int) throws {
        var driver = try MachineDriver { $0.retries = retries }
        let tries = driver.triesUntilEnd { Self.failAll(&$0, .busy(status: 503, retryAfter: 0)) }
        #expect(tries == retries + 1)
        #expect(driver.failure?.code == .serverBusy)
        #expect(driver.waits.count == retries)
        // Each wait is half fixed and half chance.
        for (number, wait) in driver.waits.enumerated() { #expect(wait >= 0.25 * Double(1 << number)) }
    }

    @Test("a connection that breaks before its answer has one free try at each place, not more")
    func freeTry() throws {
        var driver = try MachineDriver { $0.retries = 0 }
        try driver.start(total: 1 << 20)
        for position in [Int64(300_000), 600_000] {
            let plan = try #require(driver.running.first)
            let facts = ResponseFacts(offset: plan.position, end: 1 << 20, total: 1 << 20, servesRanges: true)
            driver.give(.head(fetch: plan.id, .take(facts)))
            driver.give(.ended(fetch: plan.id, position: position, .complete))
            driver.give(.ended(fetch: try #require(driver.running.first).id, position: position, Self.cut))
            #expect(driver.running.first?.position == position)
        }
        driver.give(.ended(fetch: try #require(driver.running.first).id, position: 600_000, Self.cut))
        driver.give(.closed)
        #expect(driver.failure?.code == .connectionFailed)
    }

    @Test("the place that a redirect led to dies: the original is asked again", arguments: [true, false])
    func deadTarget(broken: Bool) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .redirect(location: "http://other/x")))
        driver.give(.ended(fetch: 1, position: 0, .rejected))
        let facts = ResponseFacts(
            offset: 0, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v\""), servesRanges: true)
        driver.give(.head(fetch: 2, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: 2, position: 200_000, Self.cut))
        for _ in 0..<2 where driver.waits.isEmpty { Self.failAll(&driver, broken ? nil : .tryAgain(status: 500)) }
        driver.pass(.seconds(60))
        let again = try #require(driver.running.first)
        #expect(again.url.string == "http://host/file")
        #expect(again.position == 200_000)
    }
}
