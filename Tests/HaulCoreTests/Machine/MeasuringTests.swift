import HaulCore
import Testing

@Suite("Bytes of a file of unknown size")
struct MeasuringTests {
    private static let tag = Validators(etag: "\"v1\"")
    /// A tag that says nothing, and a date that a copy may have kept.
    private static let date = Validators(
        etag: "W/\"release\"", lastModified: "Sat, 07 Nov 2026 10:00:00 GMT", dateIsStrong: true)

    /// A machine that has asked for the size of a file of which 100,000 bytes are there.
    private func measuring(_ validators: Validators = tag) throws -> MachineDriver {
        var driver = try MachineDriver()
        driver.give(.begin)
        let there = [Located.Piece(start: 0, position: 100_000)]
        driver.give(.located(.resumable(path: "/tmp/f", KnownVersion(total: nil, validators: validators), there)))
        return driver
    }

    private func part(total: Int64, _ validators: Validators = tag) -> ResponseFacts {
        ResponseFacts(offset: 0, end: 1, total: total, validators: validators, servesRanges: true)
    }

    @Test("the first byte is asked for, and what is there is continued when the response tells the size")
    func resumes() throws {
        var driver = try measuring()
        let probe = try #require(driver.running.first)
        #expect(probe.ask.rangeHeader == "bytes=0-0" && probe.ask.ifRangeHeader == nil)
        #expect(driver.give(.head(fetch: probe.id, .take(part(total: 300_000)))) == [.network(.cancel(probe.id))])
        let map = SegmentMap(total: 300_000, resuming: [(0, 100_000)])
        let version = KnownVersion(total: 300_000, validators: Self.tag)
        #expect(driver.give(.ended(fetch: probe.id, position: 0, .cancelled)) == [.content(.resume(version, map))])
        driver.give(.reopened)
        #expect(driver.running.map(\.ask.rangeHeader) == ["bytes=\(100_000 - 65_536)-299999"])
        #expect(driver.running.first?.ask.ifRangeHeader == "\"v1\"")
    }

    @Test(
        "as many bytes are there as the file has: the last one is fetched again, since another version may be as long")
    func complete() throws {
        var driver = try measuring()
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .take(part(total: 100_000))))
        driver.give(.ended(fetch: probe.id, position: 0, .cancelled))
        driver.give(.reopened)
        #expect(driver.running.map(\.ask.rangeHeader) == ["bytes=\(99_999 - 65_536)-99999"])
        #expect(driver.running.first?.ask.ifRangeHeader == "\"v1\"")
    }

    @Test(
        "bytes that mirrors of the server's may have brought are continued only if it still names a digest",
        arguments: [true, false])
    func linkedMirrors(hasDigest: Bool) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        var version = KnownVersion(total: 300_000, validators: Self.tag)
        version.provenance = .unproven
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 300_000)])))
        let probe = try #require(driver.running.first)
        #expect(probe.ask.rangeHeader == "bytes=0-0")
        var facts = part(total: 300_000)
        let checksum = try Checksum(.sha256, hex: String(repeating: "0", count: 64))
        if hasDigest { facts.digest = HeaderDigest(checksum, field: "Repr-Digest") }
        driver.give(.head(fetch: probe.id, .take(facts)))
        guard hasDigest else {
            let reason = "only a checksum can verify it, and none was given"
            return #expect(driver.events == [.notice(.partialQuarantined(reason: reason))])
        }
        driver.give(.ended(fetch: probe.id, position: 0, .cancelled))
        #expect(driver.give(.reopened) == [.content(.verify(total: 300_000))])
    }

    @Test(
        "another version, or one that is shorter than what is there, begins anew",
        arguments: [(300_000, "\"v2\""), (99_999, "\"v1\"")])
    func otherVersion(total: Int64, etag: String) throws {
        var driver = try measuring()
        let probe = try #require(driver.running.first)
        let facts = part(total: total, Validators(etag: etag))
        #expect(driver.give(.head(fetch: probe.id, .take(facts))) == [.content(.prepare(facts))])
        #expect(driver.events == [.notice(.sourceChanged)])
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: probe.id, position: 1, .complete))
        #expect(driver.running.map(\.ask.rangeHeader) == ["bytes=1-\(total - 1)"])
    }

    @Test("found under the name that the server gave, they are measured all the same", arguments: [nil, 300_000])
    func namedByServer(total: Int64?) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.unnamed))
        let first = try #require(driver.running.first)
        var facts = ResponseFacts(offset: 0, end: total, total: total, validators: Self.tag)
        facts.ranges = .unknown
        driver.give(.head(fetch: first.id, .take(facts)))
        let there = [Located.Piece(start: 0, position: 100_000)]
        let found = Located.resumable(path: "/tmp/f", KnownVersion(total: nil, validators: Self.tag), there)
        #expect(driver.give(.prepared(found)) == [.network(.cancel(first.id))])
        driver.give(.ended(fetch: first.id, position: 0, .cancelled))
        let probe = try #require(driver.running.first)
        #expect(probe.ask.rangeHeader == "bytes=0-0")
        driver.give(.head(fetch: probe.id, .take(part(total: 300_000))))
        driver.give(.ended(fetch: probe.id, position: 0, .cancelled))
        driver.give(.reopened)
        #expect(driver.running.map(\.ask.rangeHeader) == ["bytes=\(100_000 - 65_536)-299999"])
    }

    @Test("found under the name that the server gave, and no range may continue them: the file starts again")
    func namedByServerWithoutRanges() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.unnamed))
        var facts = ResponseFacts(offset: 0, end: nil, total: nil, validators: Self.tag)
        facts.ranges = .refused
        driver.give(.head(fetch: 1, .take(facts)))
        let there = [Located.Piece(start: 0, position: 100_000)]
        let found = Located.resumable(path: "/tmp/f", KnownVersion(total: nil, validators: Self.tag), there)
        #expect(driver.give(.prepared(found)) == [.content(.prepareAgain(facts))])
        #expect(driver.events == [.notice(.rangesIgnored)])
    }

    @Test("a server without ranges sends the file from its start")
    func noRanges() throws {
        var driver = try measuring()
        let probe = try #require(driver.running.first)
        var facts = ResponseFacts(offset: 0, end: nil, total: nil, validators: Self.tag)
        facts.ranges = .refused
        #expect(driver.give(.head(fetch: probe.id, .take(facts))) == [.content(.prepare(facts))])
        #expect(driver.events == [.notice(.rangesIgnored)])
    }

    @Test("a server that fails on ranges is asked without one")
    func rangesFail() throws {
        var driver = try measuring()
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .askWithoutRange))
        driver.give(.ended(fetch: probe.id, position: 0, .rejected))
        #expect(driver.running.map(\.ask.rangeHeader) == [nil])
    }

    @Test("where only a date vouches for them, they are compared", arguments: [100_000, 300_000] as [Int64])
    func onlyADate(total: Int64) throws {
        var driver = try measuring(Self.date)
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .take(part(total: total, Self.date))))
        driver.give(.ended(fetch: probe.id, position: 0, .cancelled))
        driver.give(.reopened)
        let plan = try #require(driver.running.first)
        #expect(plan.position == min(100_000, total - 1) && plan.ask.offset == plan.position - 65_536)
    }

    @Test(
        "a connection that breaks is continued in the same run, behind a comparison", arguments: [tag, date])
    func brokenMeanwhile(validators: Validators) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        var facts = ResponseFacts(offset: 0, end: nil, total: nil, validators: validators)
        facts.ranges = .unknown
        driver.give(.head(fetch: 1, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: 1, position: 200_000, .broken(DownloadError(.connectionFailed, "cut"))))
        driver.pass(.seconds(60))
        let probe = try #require(driver.running.first)
        #expect(probe.ask.rangeHeader == "bytes=0-0")
        driver.give(.head(fetch: probe.id, .take(part(total: 300_000, validators))))
        driver.give(.ended(fetch: probe.id, position: 0, .cancelled))
        driver.give(.reopened)
        #expect(driver.running.map(\.ask.rangeHeader) == ["bytes=\(200_000 - 65_536)-299999"])
    }

    @Test("Accept-Ranges: none is believed: a broken connection begins anew without a range") func refused() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .take(ResponseFacts(offset: 0, end: nil, total: nil, validators: Self.tag))))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.give(.ended(fetch: 1, position: 200_000, .broken(DownloadError(.connectionFailed, "cut"))))
        driver.pass(.seconds(60))
        #expect(driver.running.map(\.ask.rangeHeader) == [nil])
    }
}
