import HTTPTypes
import Testing

@testable import HaulCore

@Suite("Servers behind one name that disagree, and If-Range that is misread")
struct ConsensusTests {
    static let other = ResponseFacts(
        offset: 0, end: 1_000_000, total: 1_000_000, validators: Validators(etag: "\"v2\""), servesRanges: true)

    static func known(_ offset: Int64) -> ResponseFacts {
        ResponseFacts(
            offset: offset, end: 1_000_000, total: 1_000_000, validators: Validators(etag: "\"v1\""),
            servesRanges: true)
    }

    /// A download of which 500,000 bytes are there, over one connection, with a request for the rest under way.
    static func halfway() throws -> MachineDriver {
        var driver = try MachineDriver()
        try driver.start(total: 1_000_000)
        driver.give(
            .ended(fetch: driver.running[0].id, position: 500_000, .broken(DownloadError(.connectionFailed, "x"))))
        driver.pass(.seconds(1))
        return driver
    }

    static func reject(_ driver: inout MachineDriver, _ decision: ResponseDecision) throws {
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, decision))
        driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
    }

    @Test("the known tag comes again: they disagree, and others join behind 64 KiB that compare equal")
    func disagree() throws {
        var driver = try Self.halfway()
        #expect(driver.running.first?.ask.ifRangeHeader == "\"v1\"")
        try Self.reject(&driver, .whole(Self.other, agreement: .different))
        #expect(driver.running.first?.ask.ifRangeHeader == nil)
        #expect(driver.running.first?.ask.takesOtherTag == false)
        try Self.reject(&driver, .otherTag(Self.other))
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .take(Self.known(500_000))))
        #expect(driver.machine.consensus.serversDisagree)
        driver.give(.ended(fetch: plan.id, position: 700_000, .broken(DownloadError(.connectionFailed, "x"))))
        let next = try #require(driver.running.first)
        #expect(next.ask.takesOtherTag && next.position - next.ask.offset == DownloadMachine.overlap)
        driver.give(.head(fetch: next.id, .take(Self.other)))
        driver.complete(next)
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == 1_000_000)
        #expect(!driver.events.contains(.notice(.sourceChanged)))
    }

    @Test("an overlap that differs is a change, never a mix")
    func differs() throws {
        var driver = try Self.halfway()
        try Self.reject(&driver, .otherTag(Self.other))
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .take(Self.known(500_000))))
        driver.give(.ended(fetch: plan.id, position: 700_000, .broken(DownloadError(.connectionFailed, "x"))))
        let next = try #require(driver.running.first)
        driver.give(.head(fetch: next.id, .take(Self.other)))
        driver.give(.ended(fetch: next.id, position: 700_000, .differs))
        #expect(driver.events.contains(.notice(.sourceChanged)))
        #expect(driver.running.first?.ask.known == nil && driver.running.first?.ask.offset == 0)
    }

    @Test(
        "another tag that stays is a new version: after a few answers, sooner where the date is another one too",
        arguments: [false, true])
    func changed(hasOtherDate: Bool) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        let date = "Wed, 01 Jan 2025 12:00:00 GMT"
        let version = KnownVersion(
            total: 1_000_000, validators: Validators(etag: "\"v1\"", lastModified: date, dateIsStrong: true))
        driver.give(.located(.resumable(path: "/tmp/f", version, [.init(start: 0, position: 500_000)])))
        driver.give(.reopened)
        var new = Self.other
        new.validators.lastModified = hasOtherDate ? "Thu, 02 Jan 2025 12:00:00 GMT" : date
        var answers = 0
        while driver.running.first?.ask.known != nil, answers < 50 {
            answers += 1
            try Self.reject(&driver, answers == 1 ? .whole(new, agreement: .different) : .otherTag(new))
        }
        #expect(answers == 1 + (hasOtherDate ? Consensus.enoughWithDate : Consensus.enough))
        #expect(driver.events.contains(.notice(.sourceChanged)))
    }

    @Test("200 to an If-Range that holds: the same without it, and nothing is fetched again")
    func misread() throws {
        var driver = try Self.halfway()
        let whole = ResponseFacts(
            offset: 0, end: 1_000_000, total: 1_000_000, validators: Validators(etag: "\"v1\""), servesRanges: false)
        try Self.reject(&driver, .whole(whole, agreement: .same))
        let plan = try #require(driver.running.first)
        #expect(plan.position == 500_000 && plan.ask.ifRangeHeader == nil)
        driver.give(.head(fetch: plan.id, .take(Self.known(500_000))))
        driver.complete(plan)
        driver.finish()
        #expect(!driver.events.contains(.notice(.rangesIgnored)))
    }

    @Test("what was asked before the doubt proves nothing, whatever comes in which order")
    func order() {
        var consensus = Consensus()
        #expect(consensus.heardOther(3, next: 5, hasOtherDate: false) == .askAgain)
        for _ in 0..<100 {
            consensus.heardKnown(4)
            #expect(consensus.heardOther(4, next: 9, hasOtherDate: true) == .askAgain)
        }
        #expect(!consensus.serversDisagree && !consensus.usesIfRange)
        consensus.heardKnown(5)
        #expect(consensus.serversDisagree)
        for _ in 1..<Consensus.enoughBetweenServers {
            #expect(consensus.heardOther(6, next: 7, hasOtherDate: true) == .askAgain)
        }
        #expect(consensus.heardOther(6, next: 7, hasOtherDate: true) == .changed)
    }

    @Test("a part under another strong tag of the same size is a doubt; of another size, or under a weak tag, a change")
    func decision() throws {
        let known = KnownVersion(total: 1000, validators: Validators(etag: "\"v1\""))
        func decide(_ tag: String?, _ total: Int = 1000, _ change: (inout RangeAsk) -> Void = { _ in })
            -> ResponseDecision
        {
            var ask = RangeAsk(offset: 500, known: known)
            change(&ask)
            var response = HTTPResponse(status: .init(code: 206))
            response.headerFields[.contentRange] = "bytes 500-999/\(total)"
            response.headerFields[.eTag] = tag
            return ResponseDecision.decide(ask, response, now: 0)
        }
        guard case .otherTag = decide("\"v2\"") else { return #expect(Bool(false)) }
        guard case .take = decide("\"v2\"", 1000, { $0.takesOtherTag = true }) else { return #expect(Bool(false)) }
        #expect(decide("\"v2\"", 1001, { $0.takesOtherTag = true }) == .changed)
        #expect(decide("W/\"v2\"", 1000, { $0.takesOtherTag = true }) == .changed)
        guard case .rangesBroken = decide(nil, 1000, { $0.takesOtherTag = true }) else { return #expect(Bool(false)) }
    }

    @Test("a part without a date, asked without If-Range, is of nobody knows which version")
    func noDate() {
        let date = Validators(lastModified: "Wed, 01 Jan 2025 12:00:00 GMT", dateIsStrong: true)
        var ask = RangeAsk(offset: 500, known: KnownVersion(total: 1000, validators: date))
        var response = HTTPResponse(status: .init(code: 206))
        response.headerFields[.contentRange] = "bytes 500-999/1000"
        guard case .take = ResponseDecision.decide(ask, response, now: 0) else { return #expect(Bool(false)) }
        ask.usesIfRange = false
        guard case .rangesBroken = ResponseDecision.decide(ask, response, now: 0) else { return #expect(Bool(false)) }
    }

    @Test("how much is written right before an offset: every small map", arguments: 0...6 as ClosedRange<Int64>)
    func writtenBefore(offset: Int64) throws {
        for first in 0...3 as ClosedRange<Int64> {
            for second in 3...6 as ClosedRange<Int64> {
                let map = SegmentMap(total: 6, resuming: [(0, first), (3, second)])
                let isThere = { (byte: Int64) in byte < first || byte >= 3 && byte < second }
                var count: Int64 = 0
                while count < offset, isThere(offset - count - 1) { count += 1 }
                #expect(map.written(before: offset) == count, "\(first) \(second)")
            }
        }
    }
}
