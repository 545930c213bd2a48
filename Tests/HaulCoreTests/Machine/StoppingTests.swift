import HaulCore
import Testing

@Suite("What the same download does after a stop")
struct StoppingTests {
    private static let total: Int64 = 64 << 20

    /// Stops a download after a quarter of it has come.
    private static func stop(
        total: Int64? = total, _ ranges: RangeSupport, etag: String? = "\"v1\"",
        _ change: (inout DownloadSpec) -> Void = { _ in }
    ) throws -> Resumption? {
        var driver = try MachineDriver(change)
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        var facts = ResponseFacts(offset: 0, end: total, total: total, validators: Validators(etag: etag))
        facts.ranges = ranges
        driver.give(.head(fetch: 1, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        let quarter = (total ?? Self.total) / 4
        driver.give(.tick([FetchSample(id: 1, position: quarter, received: quarter, isHeldBack: false)]))
        return Self.end(&driver, at: quarter)
    }

    private static func end(_ driver: inout MachineDriver, at position: Int64) -> Resumption? {
        driver.give(.stop)
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: position, .cancelled)) }
        driver.give(.closed)
        return driver.failure?.resumption
    }

    @Test(
        "it depends on what the server has shown of ranges, with a validator or without",
        arguments: [
            (RangeSupport.shown, Resumption.resumes), (.promised, .resumes), (.unknown, .depends),
            (.refused, .lacksRanges),
        ], ["\"v1\"", nil])
    func ranges(_ ranges: (RangeSupport, Resumption), etag: String?) throws {
        #expect(try Self.stop(ranges.0, etag: etag) == ranges.1)
        // Without a size and ranges, the rest could never be requested.
        #expect(try Self.stop(total: nil, ranges.0, etag: etag) == (ranges.0 == .refused ? .nothingKept : ranges.1))
    }

    @Test("what has no journal starts again: a small file, and one that is not resumed")
    func small() throws {
        #expect(try Self.stop(total: 256 << 10, .shown) == .nothingKept)
        #expect(try Self.stop(total: (256 << 10) + 1, .shown) == .resumes)
        #expect(try Self.stop(.shown) { $0.resumes = false } == .nothingKept)
        // Without a size, only the whole of a resource can be continued.
        #expect(try Self.stop(total: nil, .shown) { $0.range = ByteRange(0, 1 << 40) } == .nothingKept)
    }

    @Test("before the first answer nothing is promised, but that of a partial file depends on the server")
    func early() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        #expect(Self.end(&driver, at: 0) == .nothingKept)
        var other = try MachineDriver()
        other.give(.begin)
        let version = KnownVersion(total: Self.total, validators: Validators(etag: "\"v1\""))
        other.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 1 << 20)])))
        other.give(.reopened)
        #expect(Self.end(&other, at: 1 << 20) == .depends)
    }

    @Test("every end has its own words, and other errors say nothing") func words() {
        for resumption in Resumption.allCases { #expect(DownloadError.stopped(resumption).resumption == resumption) }
        #expect(DownloadError(.cancelled, "stopped").resumption == nil)
    }

    @Test("a partial that turns out to be of no use is not claimed by the start", arguments: [false, true])
    func start(isCompared: Bool) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        let version = KnownVersion(total: Self.total, validators: Validators(etag: "\"v1\""))
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 1 << 20)])))
        driver.give(.reopened)
        driver.pass(.seconds(1))
        #expect(driver.events.isEmpty)
        driver.give(.head(fetch: 1, .rangesBroken("")))
        driver.give(.ended(fetch: 1, position: 1 << 20, .rejected))
        driver.give(.reopened)
        let whole = try #require(driver.running.first)
        let facts = ResponseFacts(offset: 0, end: Self.total, total: Self.total)
        if isCompared {
            // As useful as before: only that cannot be known yet.
            driver.give(.head(fetch: whole.id, .take(facts)))
            #expect(
                driver.events == [
                    .notice(.rangesIgnored),
                    .started(
                        StartFacts(path: "/tmp/f", totalBytes: Self.total, resumedBytes: 1 << 20, insecure: false)),
                ])
            return
        }
        driver.give(.head(fetch: whole.id, .changed))
        driver.give(.ended(fetch: whole.id, position: 1 << 20, .rejected))
        driver.give(.head(fetch: try #require(driver.running.first).id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        #expect(driver.events.first == .notice(.rangesIgnored))
        let starts = driver.events.compactMap { if case .started(let facts) = $0 { facts.resumedBytes } else { nil } }
        #expect(starts == [0])
    }

    @Test("a partial that is used is claimed with the first answer")
    func resumed() throws {
        var driver = try MachineDriver()
        driver.resume(total: Self.total)
        #expect(driver.events.isEmpty)
        let plan = try #require(driver.running.first)
        var facts = ResponseFacts(
            offset: plan.ask.offset, end: plan.ask.end, total: Self.total, validators: Validators(etag: "\"v1\""))
        facts.ranges = .shown
        driver.give(.head(fetch: plan.id, .take(facts)))
        if driver.events.isEmpty {
            let next = plan.position + 100
            driver.give(.tick([FetchSample(id: plan.id, position: next, received: next, isHeldBack: false)]))
        }
        guard case .started(let started)? = driver.events.first else { return #expect(Bool(false)) }
        #expect(started.resumedBytes == Self.total / 4)
    }
}
