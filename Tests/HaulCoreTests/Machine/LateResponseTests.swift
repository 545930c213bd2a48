import HaulCore
import Testing

@Suite("Answers that come late, and what a stop keeps")
struct LateResponseTests {
    @Test("a take-over that was granted to a fetch that is gone does not split the map")
    func oldTakeOver() throws {
        var driver = try MachineDriver(connections: .fixed(2))
        driver.holdsTakeOvers = true
        try driver.start(total: 64 << 20)
        // Both have answered, and the second one is through: now the first one is asked to give.
        let second = driver.running[1]
        OneUseTests.accept(second, in: &driver)
        driver.complete(second)
        // It breaks before it has, and its successor is asked for the same.
        let cut = FetchEnd.broken(DownloadError(.connectionFailed, "cut"))
        let effects = driver.give(.ended(fetch: 1, position: 1 << 20, cut))
        let wanted = effects.compactMap { effect in
            if case .network(.takeOver(let fetch, let segment, let offset)) = effect {
                (fetch, segment, offset)
            } else {
                nil
            }
        }
        let (fetch, segment, offset) = try #require(wanted.first)
        #expect(fetch == driver.running.first?.id)
        #expect(driver.give(.takenOver(fetch: 1, segment: segment, at: 32 << 20, granted: true)) == [])
        #expect(driver.machine.map.segments.count == 2)
        driver.give(.takenOver(fetch: fetch, segment: segment, at: offset, granted: true))
        #expect(driver.machine.map.segments.map(\.start) == [0, offset, second.position])
        #expect(driver.running.count == 2)
    }

    /// Finds a partial by the name that the server gave.
    static func foundByName() throws -> MachineDriver {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.unnamed))
        let facts = ResponseFacts(
            offset: 0, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v1\""), servesRanges: true)
        driver.give(.head(fetch: 1, .take(facts)))
        let pieces = [Located.Piece(start: 0, position: 1000)]
        #expect(driver.give(.prepared(.resumable(path: "/tmp/g", facts.version, pieces))) == [.network(.cancel(1))])
        return driver
    }

    @Test("a stop between finding a partial and going on from it keeps it", arguments: 0...2)
    func stopWhileReopening(step: Int) throws {
        var driver = try Self.foundByName()
        if step == 0 { driver.give(.stop) }
        var effects = driver.give(.ended(fetch: 1, position: 0, .cancelled))
        if step == 1 { effects = driver.give(.stop) }
        if step == 2 {
            driver.give(.reopened)
            driver.give(.stop)
            effects = driver.give(.ended(fetch: try #require(driver.running.first).id, position: 1000, .cancelled))
        }
        #expect(effects == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.code == .cancelled)
    }

    @Test("the end of a fetch that came before its file was open concerns no later file")
    func endOfAnotherStart() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.unnamed))
        let facts = ResponseFacts(
            offset: 0, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v1\""), servesRanges: true)
        driver.give(.head(fetch: 1, .take(facts)))
        driver.give(.ended(fetch: 1, position: 0, .broken(DownloadError(.connectionFailed, "cut"))))
        let pieces = [Located.Piece(start: 0, position: 1000)]
        driver.give(.prepared(.resumable(path: "/tmp/g", facts.version, pieces)))
        driver.give(.reopened)
        // Meanwhile the file on the server has become another one.
        let rest = try #require(driver.running.first)
        driver.give(.head(fetch: rest.id, .changed))
        driver.give(.ended(fetch: rest.id, position: rest.position, .rejected))
        let whole = try #require(driver.running.first)
        let other = ResponseFacts(offset: 0, end: 2000, total: 2000, validators: Validators(etag: "\"v2\""))
        driver.give(.head(fetch: whole.id, .take(other)))
        driver.give(.prepared(.fresh(path: "/tmp/g")))
        #expect(driver.running.map(\.id) == [whole.id] && driver.waits.isEmpty)
    }

    @Test("what fails before a byte came is left to the files: nothing is discarded", arguments: [true, false])
    func failsWhileProbing(stopped: Bool) throws {
        var driver = try MachineDriver { $0.retries = 0 }
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        if stopped { driver.give(.stop) } else { driver.give(.head(fetch: 1, .tryAgain(status: 500))) }
        #expect(driver.give(.ended(fetch: 1, position: 0, stopped ? .cancelled : .rejected)) == [.content(.save)])
    }

    @Test("a file that is kept leaves the partial of another download alone")
    func keptLeavesPartial() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let facts = ResponseFacts(offset: 0, end: 9, total: 9)
        driver.give(.head(fetch: 1, .take(facts)))
        driver.give(.prepared(.kept(path: "/tmp/f", size: 9, isSame: true)))
        #expect(driver.give(.ended(fetch: 1, position: 0, .cancelled)) == [.content(.save)])
        driver.give(.closed)
        #expect(try driver.machine.result?.get().verification == .sizeAndDate)
    }
}
