import Foundation
import HaulCore
import Testing

@Suite("What only other programs' interfaces ask for")
struct TuningTests {
    @Test("the same wait before each attempt")
    func retryWait() throws {
        var driver = try MachineDriver {
            ($0.retries, $0.tuning.retryWait) = (3, .seconds(7))
        }
        let tries = driver.triesUntilEnd { RetryAccountingTests.failAll(&$0, .tryAgain(status: 500)) }
        #expect(tries == 4 && driver.waits == [7, 7, 7])
        #expect(driver.failure?.status == 500)
    }

    @Test(
        "a file that is not found is asked for again, as often as is said and retries allow",
        arguments: [(nil, 5, 1), (1, 5, 2), (3, 5, 4), (5, 1, 2)] as [(Int?, Int, Int)])
    func notFound(again: Int?, retries: Int, tries: Int) throws {
        var driver = try MachineDriver {
            ($0.retries, $0.tuning.notFoundRetries) = (retries, again)
        }
        #expect(driver.triesUntilEnd { RetryAccountingTests.failAll(&$0, .denied(status: 404)) } == tries)
        #expect(driver.failure?.code == .notFound && driver.failure?.status == 404)
    }

    @Test("the status of an answer goes with the error, and not with a later one of another kind")
    func status() throws {
        for status in [401, 403, 407, 410] {
            var driver = try MachineDriver()
            _ = driver.triesUntilEnd { RetryAccountingTests.failAll(&$0, .denied(status: status)) }
            #expect(driver.failure?.status == status)
        }
        var driver = try MachineDriver { $0.retries = 1 }
        var decisions: [ResponseDecision?] = [.tryAgain(status: 500), nil]
        _ = driver.triesUntilEnd {
            RetryAccountingTests.failAll(&$0, decisions.isEmpty ? nil : decisions.removeFirst())
        }
        #expect(driver.failure?.code == .connectionFailed && driver.failure?.status == nil)
    }

    @Test(
        "a server that can't send the rest fails the download instead of having it start over",
        arguments: [1000, 300_000])
    func neverStartsOver(written: Int64) throws {
        for isSet in [true, false] {
            var driver = try MachineDriver { $0.tuning.neverStartsOver = isSet ? true : nil }
            try driver.start(total: 1 << 20)
            driver.give(.ended(fetch: 1, position: written, RetryAccountingTests.cut))
            let whole = ResponseFacts(offset: 0, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v1\""))
            // The first such answer may be for a condition that the server misreads.
            for _ in 0..<3 where driver.machine.result == nil {
                driver.pass(.seconds(60))
                let plan = try #require(driver.running.first)
                driver.give(.head(fetch: plan.id, .whole(whole, agreement: .unknown)))
                driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
                driver.give(.reopened)
                driver.give(.closed)
            }
            #expect((driver.failure?.code == .sourceChanged) == isSet, "\(driver.events)")
        }
    }

    @Test("a source that is too slow fails at once")
    func slow() throws {
        var driver = try MachineDriver {
            ($0.minSpeed, $0.tuning.failsWhenSlow) = (MinimumSpeed(bytesPerSecond: 1000, seconds: 2), true)
        }
        try driver.start(total: 1 << 20)
        for _ in 0..<40 where !driver.running.isEmpty {
            driver.pass(.milliseconds(100))
        }
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
        driver.give(.closed)
        #expect(driver.failure?.code == .timedOut && driver.waits.isEmpty)
    }

    @Test("no part is smaller than the smallest one")
    func smallestPart() throws {
        #expect(SegmentPlanner(smallestPart: nil).minimumPiece == SegmentPlanner(smallestPart: 1).minimumPiece)
        var planner = SegmentPlanner(smallestPart: 1 << 20)
        #expect(planner.minimumPiece == 1 << 20)
        planner.alignment = 1
        var map = SegmentMap(total: 2 << 20)
        let first = try #require(map.segments.first?.id)
        let active = [SegmentPlanner.Active(segment: first, speed: 0)]
        #expect(planner.next(map, active: active, idle: 5) == .takeOver(segment: first, at: 1 << 20))
        map = SegmentMap(total: (2 << 20) - 1)
        #expect(planner.next(map, active: active, idle: 5) == nil)
    }

    @Test("only what differs is stored")
    func coding() throws {
        var spec = DownloadSpec(url: "http://h/", destination: .folder(path: "/"))
        #expect(try !String(decoding: JSONEncoder().encode(spec), as: UTF8.self).contains("tuning"))
        (spec.tuning.retryWait, spec.tuning.ignoresServerDate) = (.seconds(3), true)
        #expect(try JSONDecoder().decode(DownloadSpec.self, from: JSONEncoder().encode(spec)) == spec)
    }
}
