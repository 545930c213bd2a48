import Testing

@testable import HaulCore

@Suite("The first request is a plain one, and ranges are tried beside it")
struct FirstRequestTests {
    static let total: Int64 = 100_000_000

    @Test(
        "only what needs a range asks for one at first",
        arguments: [
            ("http://h/f", nil, nil), ("https://h/f", nil, nil), ("ftp://h/f", nil, "bytes=0-"),
            ("sftp://h/f", nil, "bytes=0-"), ("http://h/f", ByteRange(from: 0, to: 10), "bytes=0-9"),
        ] as [(String, ByteRange?, String?)])
    func plain(url: String, window: ByteRange?, header: String?) throws {
        var driver = try MachineDriver {
            $0.url = url
            $0.range = window
        }
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        #expect(try #require(driver.running.first).ask.rangeHeader == header)
    }

    @Test("how many connections it begins with", arguments: [.refused, .unknown, .promised, .shown] as [RangeSupport])
    func connections(ranges: RangeSupport) throws {
        var driver = try MachineDriver(connections: .fixed(4))
        try driver.start(total: Self.total, ranges)
        let expected = [RangeSupport.refused: 1, .unknown: 2, .promised: 4, .shown: 4]
        #expect(driver.running.count == expected[ranges])
        guard ranges == .unknown else { return }
        // The first range shows that there are some: the others follow.
        let trial = try #require(driver.running.last)
        #expect(trial.ask.ifRangeHeader == "\"v1\"")
        driver.give(.head(fetch: trial.id, .take(Self.facts(trial.ask.offset))))
        #expect(driver.running.count == 4)
    }

    @Test(
        "however ranges are refused, the file comes over the plain request",
        arguments: [.unknown, .promised] as [RangeSupport],
        [
            .whole(Self.facts(0), agreement: .same), .whole(Self.facts(0), agreement: .unknown), .rangesBroken("x"),
            .tryAgain(status: 500), .refuse(DownloadError(.unexpectedStatus, "405")), .denied(status: 403),
            .busy(status: 503, retryAfter: nil),
        ] as [ResponseDecision])
    func refused(ranges: RangeSupport, decision: ResponseDecision) throws {
        var driver = try MachineDriver(connections: .fixed(4))
        try driver.start(total: Self.total, ranges)
        let first = try #require(driver.running.first)
        var rejected = 0
        while let plan = driver.running.last, plan.id != first.id, rejected < 20 {
            driver.give(.head(fetch: plan.id, decision))
            driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
            rejected += 1
        }
        #expect(driver.running.map(\.id) == [first.id])
        #expect(driver.machine.map.segments.count == 1)
        driver.give(.ended(fetch: first.id, position: Self.total, .complete))
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == Self.total)
    }

    static func facts(_ offset: Int64) -> ResponseFacts {
        ResponseFacts(
            offset: offset, end: total, total: total, validators: Validators(etag: "\"v1\""), servesRanges: offset > 0)
    }
}
