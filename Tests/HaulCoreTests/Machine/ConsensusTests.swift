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

    @Test("the known version comes again: the servers disagree, and no byte of the other version is used")
    func disagree() throws {
        var driver = try Self.halfway()
        #expect(driver.running.first?.ask.ifRangeHeader == "\"v1\"")
        try Self.reject(&driver, .whole(Self.other, agreement: .different))
        #expect(driver.running.first?.ask.ifRangeHeader == nil)
        try Self.reject(&driver, .otherVersion(Self.other))
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .take(Self.known(500_000))))
        #expect(driver.machine.sources[.main].consensus.serversDisagree)
        driver.give(.ended(fetch: plan.id, position: 700_000, .broken(DownloadError(.connectionFailed, "x"))))
        try Self.reject(&driver, .otherVersion(Self.other))
        let next = try #require(driver.running.first)
        #expect(!next.ask.takesUnproven && next.position == 700_000)
        driver.give(.head(fetch: next.id, .take(Self.known(700_000))))
        driver.complete(next)
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == 1_000_000)
        #expect(!driver.events.contains(.notice(.sourceChanged)))
    }

    @Test("a file that changes again and again is asked for as a whole in the end")
    func whole() throws {
        var driver = try Self.halfway()
        for number in 1...3 {
            try Self.reject(&driver, .changed)
            let probe = try #require(driver.running.first)
            #expect(!probe.ask.usesRange && driver.machine.sources[.main].usesRanges == (number < 3))
            driver.give(.head(fetch: probe.id, .take(number < 3 ? Self.known(0) : Self.whole(number))))
            driver.give(.prepared(.fresh(path: "/tmp/f")))
            guard number < 3 else { break }
            driver.give(.ended(fetch: probe.id, position: 200_000, .broken(DownloadError(.connectionFailed, "x"))))
            driver.pass(.seconds(1))
        }
        driver.complete(try #require(driver.running.first))
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == 1_000_000)
    }

    static func whole(_ number: Int) -> ResponseFacts {
        ResponseFacts(
            offset: 0, end: 1_000_000, total: 1_000_000, validators: Validators(etag: "\"n\(number)\""),
            servesRanges: false)
    }

    @Test("after a 200 that rejects If-Range, parts that show nothing are not joined: the file is fetched again")
    func rejected() throws {
        var driver = try Self.halfway()
        let bare = ResponseFacts(
            offset: 0, end: 1_000_000, total: 1_000_000, validators: Validators(), servesRanges: true)
        try Self.reject(&driver, .whole(bare, agreement: .different))
        for _ in 0..<Consensus.enough {
            let plan = try #require(driver.running.first)
            #expect(plan.position == 500_000 && plan.ask.known != nil && !plan.ask.takesUnproven)
            try Self.reject(&driver, .unproven)
        }
        let probe = try #require(driver.running.first)
        #expect(probe.position == 0 && probe.ask.known == nil)
    }

    @Test("parts that show nothing: what is there is compared from then on, over one connection")
    func unproven() throws {
        var driver = try Self.halfway()
        try Self.reject(&driver, .unproven)
        let plan = try #require(driver.running.first)
        #expect(plan.ask.takesUnproven && plan.position == 500_000)
        #expect(plan.position - plan.ask.offset == DownloadMachine.overlap)
        var facts = Self.known(plan.ask.offset)
        facts.validators = Validators()
        driver.give(.head(fetch: plan.id, .take(facts)))
        #expect(driver.machine.connectionsUseful(now: .zero) == 1)
        driver.complete(plan)
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == 1_000_000)
    }

    @Test("a checksum does not make up for a version that is not told, as long as the server tells versions")
    func checksumAndVersion() throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        for revealsVersions in [true, false] {
            var driver = try MachineDriver { $0.checksum = checksum }
            let version = KnownVersion(
                total: 1_000_000, validators: revealsVersions ? Validators(etag: "\"v1\"") : Validators())
            driver.give(.begin)
            // A gap at the start: there are no bytes before the join to compare.
            driver.give(.located(.resumable(path: "/tmp/f", version, [.init(start: 500_000, position: 1_000_000)])))
            driver.give(.reopened)
            let plan = try #require(driver.running.first)
            #expect(plan.ask.offset == 0 && plan.ask.takesUnproven == !revealsVersions)
        }
    }

    @Test("parts that show nothing: of a partial with gaps only the first stretch counts any more")
    func unprovenWithGaps() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        let version = KnownVersion(total: 1_000_000, validators: Validators(etag: "\"v1\""))
        let pieces = [Located.Piece(start: 0, position: 300_000), Located.Piece(start: 600_000, position: 700_000)]
        driver.give(.located(.resumable(path: "/tmp/f", version, pieces)))
        driver.give(.reopened)
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .unproven))
        let map = SegmentMap(total: 1_000_000, resuming: [(0, 300_000)])
        #expect(driver.give(.ended(fetch: plan.id, position: plan.position, .rejected)) == [.content(.revert(map))])
        driver.give(.reopened)
        let next = try #require(driver.running.first)
        #expect(next.ask.takesUnproven && next.position == 300_000 && next.end == 1_000_000)
    }

    @Test("a part that shows nothing, while another response is still to come: the partial file is kept")
    func unprovenBesideOthers() throws {
        var driver = try MachineDriver { $0.connections = .fixed(3) }
        driver.give(.begin)
        let date = "Wed, 01 Jan 2025 12:00:00 GMT"
        let version = KnownVersion(
            total: 9_000_000,
            validators: Validators(etag: "W/\"v1\"", lastModified: date, dateIsStrong: true))
        driver.give(.located(.resumable(path: "/tmp/f", version, [.init(start: 0, position: 1_000_000)])))
        driver.give(.reopened)
        let first = try #require(driver.running.first)
        #expect(first.position == 1_000_000 && first.ask.takesUnproven)
        for _ in 0..<10 {
            driver.pass(.milliseconds(100))
            for plan in driver.running where plan.id != first.id {
                driver.give(.head(fetch: plan.id, .unproven))
                driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
            }
        }
        #expect(driver.running.map(\.id) == [first.id])
        let facts = ResponseFacts(
            offset: first.ask.offset, end: 9_000_000, total: 9_000_000,
            validators: Validators(etag: "\"v1\"", lastModified: date), servesRanges: true)
        driver.give(.head(fetch: first.id, .take(facts)))
        driver.complete(first)
        #expect(driver.machine.map.contiguousPrefix > 1_000_000)
        #expect(!driver.events.contains(.notice(.rangesIgnored)))
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
        var responseCount = 0
        while driver.running.first?.ask.known != nil, responseCount < 50 {
            responseCount += 1
            try Self.reject(&driver, responseCount == 1 ? .whole(new, agreement: .different) : .otherVersion(new))
        }
        #expect(responseCount == 1 + (hasOtherDate ? Consensus.enoughWithDate : Consensus.enough))
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
        #expect(consensus.receivedOther(3, next: 5, hasOtherDate: false) == .askAgain)
        for _ in 0..<100 {
            consensus.receivedKnown(4)
            #expect(consensus.receivedOther(4, next: 9, hasOtherDate: true) == .askAgain)
        }
        #expect(!consensus.serversDisagree && !consensus.usesIfRange)
        consensus.receivedKnown(5)
        #expect(consensus.serversDisagree)
        for _ in 1..<Consensus.enoughBetweenServers {
            #expect(consensus.receivedOther(6, next: 7, hasOtherDate: true) == .askAgain)
        }
        #expect(consensus.receivedOther(6, next: 7, hasOtherDate: true) == .changed)
    }

    @Test("a part of another version is a doubt; of another size, a change; without a tag, it shows nothing")
    func decision() throws {
        let known = KnownVersion(total: 1000, validators: Validators(etag: "\"v1\""))
        func decide(_ tag: String?, _ total: Int = 1000, _ change: (inout RangeRequest) -> Void = { _ in })
            -> ResponseDecision
        {
            var ask = RangeRequest(offset: 500, known: known)
            change(&ask)
            var response = HTTPResponse(status: .init(code: 206))
            response.headerFields[.contentRange] = "bytes 500-999/\(total)"
            response.headerFields[.eTag] = tag
            return ResponseDecision.decide(ask, response, now: 0)
        }
        for takesUnproven in [false, true] {
            for tag in ["\"v2\"", "W/\"v2\""] {
                for size in [1000, 1001] {
                    guard case .otherVersion = decide(tag, size, { $0.takesUnproven = takesUnproven }) else {
                        return #expect(Bool(false))
                    }
                }
            }
        }
        #expect(decide(nil) == .unproven && decide("W/\"v1\"") == .unproven)
        guard case .take = decide(nil, 1000, { $0.takesUnproven = true }) else { return #expect(Bool(false)) }
    }

    @Test("a part without the date of the whole shows nothing, with If-Range or without: servers ignore it")
    func noDate() {
        let date = Validators(lastModified: "Wed, 01 Jan 2025 12:00:00 GMT", dateIsStrong: true)
        var ask = RangeRequest(offset: 500, known: KnownVersion(total: 1000, validators: date))
        var response = HTTPResponse(status: .init(code: 206))
        response.headerFields[.contentRange] = "bytes 500-999/1000"
        #expect(ResponseDecision.decide(ask, response, now: 0) == .unproven)
        ask.usesIfRange = false
        #expect(ResponseDecision.decide(ask, response, now: 0) == .unproven)
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
