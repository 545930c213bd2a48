import HaulCore
import Testing

@Suite("Servers whose ranges are missing or broken")
struct DownloadMachineRangesTests {
    @Test("a server that is cut short and has no ranges: every attempt counts, with growing waits", arguments: 0...3)
    func cutShortWithoutRanges(retries: Int) throws {
        let short = DownloadError(.connectionFailed, "the connection was closed after 300000 of 1000000 bytes")
        let facts = ResponseFacts(offset: 0, end: 1_000_000, total: 1_000_000)
        var driver = try MachineDriver { $0.retries = retries }
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        var attempts = 0
        while driver.machine.result == nil, attempts < 20 {
            if driver.running.isEmpty { driver.pass(.seconds(60)) }
            let plan = try #require(driver.running.first)
            if plan.ask.offset > 0 {
                // The attempt to continue; the whole file comes instead.
                driver.give(.head(fetch: plan.id, .whole(facts, agreement: .unknown)))
                driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
                driver.give(.reopened)
                driver.give(.closed)
                continue
            }
            attempts += 1
            driver.give(.head(fetch: plan.id, .take(facts)))
            // From the second attempt on, the bytes that are there are compared.
            if attempts == 1 { driver.give(.prepared(.fresh(path: "/tmp/f"))) }
            #expect(plan.position == (attempts == 1 ? 0 : 300_000))
            driver.give(.ended(fetch: plan.id, position: 300_000, .broken(short)))
            driver.give(.reopened)
            driver.give(.closed)
        }
        #expect(attempts == retries + 1)
        #expect(driver.failure == short)
        #expect(driver.waits.count == retries)
        #expect(driver.events.filter { $0 == .notice(.rangesIgnored) }.count == 1)
    }

    @Test("once a server without ranges is back, the whole file is requested without a pause")
    func backWithoutRanges() throws {
        let facts = ResponseFacts(offset: 0, end: 1_000_000, total: 1_000_000)
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let first = try #require(driver.running.first)
        driver.give(.head(fetch: first.id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: first.id, position: 300_000, .broken(DownloadError(.connectionFailed, "cut"))))
        driver.give(.reopened)
        driver.give(.closed)
        // The first refusal may be one of too many connections.
        for _ in 0..<2 {
            let plan = try #require(driver.running.first)
            driver.give(.ended(fetch: plan.id, position: plan.position, DownloadMachineFaultTests.refused))
        }
        let waits = driver.waits.count
        #expect(waits == 1)
        driver.pass(.seconds(60))
        let range = try #require(driver.running.first)
        #expect(range.ask.offset > 0)
        driver.give(.head(fetch: range.id, .whole(facts, agreement: .unknown)))
        driver.give(.ended(fetch: range.id, position: range.position, .rejected))
        driver.give(.reopened)
        driver.give(.closed)
        let again = try #require(driver.running.first)
        #expect(again.ask.offset == 0)
        #expect(driver.waits.count == waits)
    }

    @Test("a server whose ranges are broken is asked for the whole")
    func rangesBroken() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .rangesBroken("rubbish")))
        driver.give(.ended(fetch: 1, position: 0, .rejected))
        #expect(driver.running.first?.ask.rangeHeader == nil)
    }

    @Test(
        "a server that served ranges before is asked once more at each place, then for the whole",
        arguments: [
            ResponseDecision.rangesBroken("rubbish"),
            .whole(ResponseFacts(offset: 0, end: 1000, total: 1000), agreement: .unknown),
        ])
    func rangeMissedOnce(decision: ResponseDecision) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .take(ResponseFacts(offset: 0, end: 1000, total: 1000, servesRanges: true))))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: 1, position: 100, .complete))
        for _ in 0..<2 {
            let plan = try #require(driver.running.first)
            #expect(plan.ask.rangeHeader != nil && plan.position == 100)
            driver.give(.head(fetch: plan.id, decision))
            driver.give(.ended(fetch: plan.id, position: 100, .rejected))
        }
        driver.give(.closed)
        #expect(driver.running.first?.ask.rangeHeader == nil)
    }

    @Test("no ranges and always cut at one place: it gives up instead of turning for ever")
    func cutWithoutRanges() throws {
        var driver = try MachineDriver { $0.retries = 3 }
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        var rounds = 0
        while driver.machine.result == nil, rounds < 30 {
            rounds += 1
            let plan = try #require(driver.running.first)
            driver.give(.head(fetch: plan.id, .take(ResponseFacts(offset: 0, end: nil, total: nil))))
            driver.give(.prepared(.fresh(path: "/tmp/f")))
            driver.give(.ended(fetch: plan.id, position: 100_000, DownloadMachineFaultTests.cut))
            driver.give(.closed)
            driver.pass(.seconds(60))
        }
        #expect(driver.machine.result != nil)
        #expect(rounds < 10)
    }
}
