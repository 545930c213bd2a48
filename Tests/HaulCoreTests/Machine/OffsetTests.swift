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

    /// A download of a file over FTP that has a mirror over HTTP.
    static func mirrored() throws -> MachineDriver {
        try MachineDriver(connections: .fixed(4)) { spec in
            spec.url = "ftp://host/file"
            spec.mirrors = [DownloadSpec.Mirror(url: "http://mirror/file")]
        }
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

    /// A file over FTP that has come whole over one connection; the last look at it is under way.
    static func complete() throws -> (driver: MachineDriver, look: FetchPlan) {
        var driver = try start(connections: 1)
        driver.give(.ended(fetch: driver.running[0].id, position: size, .complete))
        return (driver, try #require(driver.running.first))
    }

    @Test("before the end the server is asked once more what the file is")
    func lastLook() throws {
        var (driver, look) = try Self.complete()
        #expect(look.isProof && look.ask.rangeHeader == "bytes=0-4095" && !look.provesOffset)
        driver.give(.head(fetch: look.id, .take(Self.facts(0))))
        #expect(driver.give(.ended(fetch: look.id, position: 4096, .enough)) == [.content(.verify(total: Self.size))])
    }

    @Test("a file that was replaced between the request for its date and its bytes is fetched again")
    func lastLookDiffers() throws {
        var other = Self.facts(0)
        other.validators = Validators(lastModified: "Wed, 01 Jan 2025 13:00:00 GMT", dateIsStrong: true)
        for rejection in [ResponseDecision.otherVersion(other), .changed, nil] {
            var (driver, look) = try Self.complete()
            driver.give(.head(fetch: look.id, rejection ?? .take(Self.facts(0))))
            driver.give(.ended(fetch: look.id, position: 0, rejection == nil ? .differs : .rejected))
            #expect(driver.events.contains(.notice(.sourceChanged)))
            #expect(driver.running.count == 1 && driver.machine.map.written == 0)
        }
    }

    @Test("a last look that fails is had again: without it the file is not complete")
    func lastLookFails() throws {
        var (driver, look) = try Self.complete()
        let failure = FetchEnd.broken(DownloadError(.timedOut, "x"))
        for _ in 0..<2 {
            driver.give(.ended(fetch: look.id, position: 0, failure))
            #expect(driver.running.isEmpty)
            driver.pass(.seconds(60))
            let next = try #require(driver.running.first)
            #expect(next.id != look.id && next.ask == look.ask)
            // While it is under way, time passes, and nothing is concluded from that.
            driver.give(.tick([]))
            #expect(driver.running == [next])
            look = next
        }
        driver.give(.head(fetch: look.id, .take(Self.facts(0))))
        driver.give(.ended(fetch: look.id, position: 4096, .enough))
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == Self.size)
    }

    @Test("a last look that has waited asks its host for a connection")
    func lastLookWaits() throws {
        var (driver, look) = try Self.complete()
        driver.give(.ended(fetch: look.id, position: 0, .broken(DownloadError(.timedOut, "x"))))
        #expect(driver.news.last == .uses(HostUse(wanted: 0)))
        driver.give(.host(0, HostQuotaMachineTests.quota(0)))
        driver.pass(.seconds(60))
        #expect(driver.running.isEmpty && driver.news.last == .uses(HostUse(wanted: 1)))
        driver.give(.host(0, HostQuotaMachineTests.quota(1)))
        let next = try #require(driver.running.first)
        #expect(next.ask == look.ask)
        driver.give(.head(fetch: next.id, .take(Self.facts(0))))
        driver.give(.ended(fetch: next.id, position: 4096, .enough))
        #expect(driver.news.last == .uses(HostUse(wanted: 0)))
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == Self.size)
    }

    @Test("no last look succeeds: the download fails, and what is there is kept")
    func noLook() throws {
        var (driver, look) = try Self.complete()
        var rounds = 0
        while rounds < 100, driver.running.contains(look) {
            rounds += 1
            driver.give(.ended(fetch: look.id, position: 0, .broken(DownloadError(.connectionFailed, "x"))))
            driver.pass(.seconds(60))
            look = driver.running.first ?? look
        }
        guard case .closing(.failed(let error)) = driver.machine.phase else { return #expect(Bool(false)) }
        #expect(error.code == .connectionFailed && driver.machine.map.written == Self.size)
    }

    @Test("a file that repeats itself: more and more is compared, and then it is begun again")
    func periodic() throws {
        var driver = try Self.start(connections: 1)
        driver.give(
            .ended(fetch: driver.running[0].id, position: 600_000, .broken(DownloadError(.connectionFailed, "x"))))
        var rounds = 0
        while rounds < 100, !driver.events.contains(.notice(.rangesIgnored)) {
            rounds += 1
            driver.pass(.seconds(1))
            guard let plan = driver.running.first else { continue }
            driver.give(.head(fetch: plan.id, .take(Self.facts(plan.ask.offset))))
            driver.give(.ended(fetch: plan.id, position: plan.position, .undecided))
        }
        #expect(rounds < 10 && driver.events.contains(.notice(.rangesIgnored)))
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
        // The start of the file needs no offset.
        let look = try #require(driver.running.first)
        #expect(look.isProof && look.ask.rangeHeader == "bytes=0-4095")
        driver.give(.head(fetch: look.id, .take(Self.facts(0))))
        driver.give(.ended(fetch: look.id, position: 4096, .enough))
        driver.finish()
        #expect(try driver.machine.result?.get().totalBytes == Self.size)
    }

    @Test("a file that keeps changing while it is fetched is never complete")
    func keepsChanging() throws {
        var driver = try Self.start(connections: 1)
        var looks = 0
        while looks < 20, let fetch = driver.running.first {
            if fetch.position == 0, !fetch.isProof, looks > 0 {
                driver.give(.head(fetch: fetch.id, .take(Self.facts(0))))
                driver.give(.prepared(.fresh(path: "/tmp/f")))
            }
            driver.give(.ended(fetch: fetch.id, position: Self.size, .complete))
            let look = try #require(driver.running.first)
            #expect(look.isProof)
            looks += 1
            driver.give(.head(fetch: look.id, .changed))
            driver.give(.ended(fetch: look.id, position: 0, .rejected))
        }
        guard case .closing(.failed(let error)) = driver.machine.phase else { return #expect(Bool(false)) }
        #expect(looks == 6 && error.code == .sourceChanged)
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
        driver.give(.reopened)
        let whole = try #require(driver.running.first)
        #expect(whole.ask.offset == 0 && !whole.ask.usesRange && !whole.provesOffset)
        // The offset may have been ignored; the whole file decides.
        #expect(whole.position == 3_000_000)
        driver.give(.head(fetch: whole.id, .take(Self.facts(0))))
        driver.give(.ended(fetch: whole.id, position: whole.position, .differs))
        let probe = try #require(driver.running.first)
        #expect(probe.ask.offset == 0 && probe.position == 0 && driver.events.contains(.notice(.sourceChanged)))
    }

    @Test("before the end, bytes around the beginning of each fetch are compared, too")
    func looksAtJoins() throws {
        var driver = try Self.start(connections: 2)
        Self.write(&driver, to: 1_000_000)
        let proof = try #require(driver.running.last)
        driver.give(.head(fetch: proof.id, .take(Self.facts(proof.position))))
        driver.give(.ended(fetch: proof.id, position: 1_000_000, .enough))
        let further = try #require(driver.running.last)
        driver.give(.head(fetch: further.id, .take(Self.facts(further.position))))
        driver.give(.ended(fetch: further.id, position: Self.size, .complete))
        while let fetch = driver.running.first(where: { !$0.isProof }) {
            driver.give(.head(fetch: fetch.id, .take(Self.facts(fetch.position))))
            driver.complete(fetch)
        }
        var looks: [ByteRange] = []
        while let look = driver.running.first {
            looks.append(ByteRange(from: look.position, to: look.end ?? 0))
            driver.give(.head(fetch: look.id, .take(Self.facts(look.position))))
            driver.give(.ended(fetch: look.id, position: look.end ?? 0, .enough))
        }
        let starts = driver.machine.map.segments.map(\.start).filter { $0 > 0 }
        #expect(!starts.isEmpty && looks.count == starts.count + 1)
        #expect(starts.allSatisfy { start in looks.contains { $0.lowerBound < start && start < $0.upperBound } })
        #expect(looks.contains(ByteRange(from: 0, to: 4096)))
    }

    @Test("with a mirror, too, a file server gets no second fetch before an offset is proved")
    func amongSources() throws {
        var driver = try Self.mirrored()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .take(Self.facts(0))))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.pass(.seconds(1))
        #expect(driver.running.map(\.position) == [0])
    }

    @Test(
        "too few bytes of a file server, and a mirror that may not be asked: it begins again instead of waiting for ever"
    )
    func stuck() throws {
        var driver = try Self.mirrored()
        driver.give(.begin)
        let there = [Located.Piece(start: 0, position: 100_000)]
        driver.give(.located(.resumable(path: "/tmp/f", Self.facts(0).version, there)))
        driver.give(.reopened)
        #expect(driver.running.map(\.position) == [0])
    }
}
