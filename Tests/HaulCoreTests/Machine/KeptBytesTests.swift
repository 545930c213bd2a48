import Testing

@testable import HaulCore

@Suite("What the machine says of the bytes of an unfinished file")
struct KeptBytesTests {
    /// A download of which half has come before the connection broke.
    private static func broken(total: Int64, _ change: (inout DownloadSpec) -> Void = { _ in }) throws -> MachineDriver
    {
        var driver = try MachineDriver(change)
        try driver.start(total: total)
        driver.give(.ended(fetch: 1, position: total / 2, DownloadMachineFaultTests.cut))
        for _ in 0..<600 where driver.running.isEmpty { driver.pass(.milliseconds(100)) }
        return driver
    }

    @Test(
        "an expired link: the data is said to be kept only if it is",
        arguments: [(1 << 20, true, true), (250_000, true, false), (1 << 20, false, false)] as [(Int64, Bool, Bool)])
    func expired(total: Int64, resumes: Bool, isKept: Bool) throws {
        var driver = try Self.broken(total: total) { $0.resumes = resumes }
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .denied(status: 403)))
        driver.give(.ended(fetch: plan.id, position: total / 2, .rejected))
        driver.give(.closed)
        let error = try #require(driver.failure)
        #expect(error.code == .linkExpired && error.message.contains("the data is kept") == isKept)
        #expect((error.detail == .mustStartAgain) != isKept)
    }

    @Test("an expired link of a stream: nothing is kept")
    func expiredStream() throws {
        var driver = try MachineDriver()
        var configuration = driver.machine.configuration
        configuration.streamWindow = 16 << 20
        driver.machine = DownloadMachine(configuration)
        try driver.start(total: 1 << 20)
        driver.give(.ended(fetch: 1, position: 500_000, DownloadMachineFaultTests.cut))
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .denied(status: 403)))
        driver.give(.ended(fetch: plan.id, position: 500_000, .rejected))
        driver.give(.closed)
        #expect(driver.failure?.message.hasSuffix("no data is kept") == true)
    }

    @Test("a page in place of the file: the partial file is said to be kept only if there is one")
    func page() throws {
        for (ranges, resumes) in [(RangeSupport.unknown, true), (.refused, true), (.unknown, false)] {
            var driver = try MachineDriver { $0.resumes = resumes }
            driver.give(.begin)
            driver.give(.located(.fresh(path: "/tmp/f.zip")))
            var facts = ResponseFacts(offset: 0, end: nil, total: nil, validators: Validators(etag: "\"v1\""))
            facts.ranges = ranges
            driver.give(.head(fetch: 1, .take(facts)))
            driver.give(.prepared(.fresh(path: "/tmp/f.zip")))
            let former = FormerBytes(version: facts.version, count: 500_000)
            let page = ResponseFacts(offset: 0, end: 30, total: 30)
            let error = try #require(driver.machine.objection(to: page, replacing: former))
            #expect(error.message.contains("the partial file is kept") == (ranges == .unknown && resumes))
        }
    }

    @Test("a new version that has taken the place of another program's bytes is removed if its checksum is wrong")
    func replacesAdopted() throws {
        let total: Int64 = 8 << 20
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        var driver = try MachineDriver { $0.checksum = checksum }
        driver.give(.begin)
        driver.give(.located(.unnamed))
        var facts = ResponseFacts(
            offset: 0, end: total, total: total, validators: Validators(etag: "\"v1\""), servesRanges: true)
        driver.give(.head(fetch: 1, .take(facts)))
        driver.give(.prepared(.adoptable(path: "/tmp/f", file: "/tmp/g", facts.version, [])))
        driver.give(.ended(fetch: 1, position: 0, .cancelled))
        driver.give(.reopened)
        #expect(driver.machine.adopted != nil)
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .changed))
        driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
        let probe = try #require(driver.running.first)
        facts.validators = Validators(etag: "\"v2\"")
        driver.give(.head(fetch: probe.id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.complete(probe)
        #expect(driver.give(.verified(hex: "00")) == [.content(.discard)])
    }
}
