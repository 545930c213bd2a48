import Testing

@testable import HaulCore

@Suite("File servers that do not say where their answers begin")
struct OffsetTests {
    static let size: Int64 = 8 << 20

    static func facts(_ offset: Int64) -> ResponseFacts {
        let date = Validators(lastModified: "Wed, 01 Jan 2025 12:00:00 GMT", dateIsStrong: true)
        return ResponseFacts(offset: offset, end: size, total: size, validators: date, servesRanges: true)
    }

    /// A download of a file over FTP whose first fetch runs.
    static func start(connections: Int) throws -> MachineDriver {
        var driver = try MachineDriver(connections: .fixed(connections)) { $0.url = "ftp://host/file" }
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .take(facts(0))))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        return driver
    }

    static func write(_ driver: inout MachineDriver, to position: Int64) {
        driver.now += .milliseconds(100)
        let id = driver.running[0].id
        driver.give(.tick([FetchSample(id: id, position: position, received: position, isHeldBack: false)]))
    }

    @Test("a further connection waits for a comparison with bytes that are there, behind those the file begins with")
    func proof() throws {
        var driver = try Self.start(connections: 4)
        #expect(driver.running.count == 1)
        Self.write(&driver, to: 100_000)
        #expect(driver.running.count == 1, "too few bytes to tell an offset from the start")
        Self.write(&driver, to: 1_000_000)
        let proof = try #require(driver.running.last)
        #expect(driver.running.count == 2 && proof.isProof && proof.provesOffset)
        #expect(proof.position == 1_000_000 - DownloadMachine.overlap && proof.end == 1_000_000)
        driver.give(.head(fetch: proof.id, .take(Self.facts(proof.position))))
        driver.give(.ended(fetch: proof.id, position: 1_000_000, .enough))
        #expect(driver.running.count == 4)
        #expect(driver.running.dropFirst().allSatisfy { !$0.provesOffset && $0.position > 1_000_000 })
    }

    @Test("a server that ignores the offset: the first connection continues alone")
    func ignored() throws {
        var driver = try Self.start(connections: 4)
        Self.write(&driver, to: 1_000_000)
        let proof = try #require(driver.running.last)
        driver.give(.head(fetch: proof.id, .take(Self.facts(proof.position))))
        driver.give(.ended(fetch: proof.id, position: proof.position, .differs))
        #expect(driver.running.count == 1 && driver.events.contains(.notice(.rangesIgnored)))
        Self.write(&driver, to: 2_000_000)
        #expect(driver.running.count == 1)
        driver.give(.ended(fetch: driver.running[0].id, position: Self.size, .complete))
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == Self.size)
    }

    @Test("bytes that the file also begins with show nothing: more is compared")
    func undecided() throws {
        var driver = try Self.start(connections: 4)
        Self.write(&driver, to: 1_000_000)
        let proof = try #require(driver.running.last)
        driver.give(.head(fetch: proof.id, .take(Self.facts(proof.position))))
        driver.give(.ended(fetch: proof.id, position: 1_000_000, .undecided))
        #expect(driver.running.count == 1)
        Self.write(&driver, to: 2_000_000)
        let next = try #require(driver.running.last)
        #expect(next.isProof && next.position == 2_000_000 - 8 * DownloadMachine.overlap)
    }

    @Test("a resume compares the bytes before it; if they differ, all is fetched again", arguments: [1, 4])
    func resume(connections: Int) throws {
        var driver = try MachineDriver(connections: .fixed(connections)) { $0.url = "ftp://host/file" }
        driver.give(.begin)
        let version = KnownVersion(total: Self.size, validators: Self.facts(0).validators)
        driver.give(.located(.resumable(path: "/tmp/f", version, [.init(start: 0, position: 3_000_000)])))
        driver.give(.reopened)
        let plan = try #require(driver.running.first)
        #expect(driver.running.count == 1)
        #expect(plan.provesOffset && plan.ask.offset == 3_000_000 - DownloadMachine.overlap)
        driver.give(.head(fetch: plan.id, .take(Self.facts(plan.ask.offset))))
        driver.give(.ended(fetch: plan.id, position: plan.position, .differs))
        let whole = try #require(driver.running.first)
        #expect(whole.ask.offset == 0 && !whole.ask.usesRange && !whole.provesOffset)
    }
}
