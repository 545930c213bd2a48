import Testing

@testable import HaulCore

@Suite("The machine and the document that a server names for the file")
struct DescribedFileTests {
    private static let total: Int64 = 64 << 20

    /// The facts of a response that names a document.
    private static func facts(from offset: Int64 = 0, end: Int64 = total) -> ResponseFacts {
        var facts = ResponseFacts(
            offset: offset, end: end, total: total, validators: Validators(etag: "\"v1\""), servesRanges: true)
        facts.links.descriptions = ["/x.meta4"]
        return facts
    }

    private static func document(_ mirror: String? = nil, hasChecksum: Bool = true) throws -> FileDescription {
        var mirrors: [MachineConfiguration.MirrorURL] = []
        if let mirror { mirrors.append(.init(url: try SourceURL(parsing: mirror), priority: 1)) }
        let checksum = hasChecksum ? try Checksum(.sha256, hex: String(repeating: "ab", count: 32)) : nil
        return FileDescription(
            url: try SourceURL(parsing: "http://host/x.meta4"), mirrors: mirrors, checksum: checksum, totalBytes: total)
    }

    /// Returns the documents that are requested.
    private static func requested(_ effects: [MachineEffect]) -> [SourceURL] {
        effects.compactMap { if case .network(.describe(let url, _)) = $0 { url } else { nil } }
    }

    /// A download whose first response has named a document.
    private static func started() throws -> MachineDriver {
        var driver = try MachineDriver(connections: .fixed(4))
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let (facts, url) = (Self.facts(), try Self.document().url)
        // The journal says that the bytes are of one source.
        #expect(
            driver.give(.head(fetch: 1, .take(facts))) == [.network(.describe(url)), .content(.prepare(facts))])
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        return driver
    }

    @Test("before a source in the document is used, the journal says that only a checksum can verify the bytes")
    func distrusts() throws {
        var driver = try Self.started()
        let document = try Self.document("http://mirror/file")
        let effects = driver.give(.described(.success(document)))
        #expect(effects.contains(.content(.distrust)))
        #expect(driver.machine.homes.count == 1)
        driver.give(.distrusted)
        #expect(driver.machine.homes.map(\.host) == ["host", "mirror"])
        #expect(driver.machine.provenance(revealsVersions: true) == .unproven)
    }

    @Test("a document that is missing, or names no source that may be added, changes nothing in the journal")
    func changesNothing() throws {
        let documents: [FileDescription?] = [
            nil, try Self.document(), try Self.document("http://host/file"),
            try Self.document("http://mirror/file", hasChecksum: false),
        ]
        for document in documents {
            var driver = try Self.started()
            let effects = driver.give(.described(.success(document)))
            #expect(!effects.contains(.content(.distrust)))
            #expect(driver.machine.homes.count == 1)
            #expect(driver.machine.provenance(revealsVersions: true) == .oneSource)
        }
    }

    @Test("a resumed download requests the document that a response or a redirect names", arguments: [true, false])
    func resumed(redirects: Bool) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        let version = KnownVersion(total: Self.total, validators: Validators(etag: "\"v1\""))
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 1 << 20)])))
        driver.give(.reopened)
        var plan = try #require(driver.running.first)
        var facts = Self.facts(from: plan.ask.offset)
        if redirects {
            driver.give(.head(fetch: plan.id, .redirect(location: "http://far/file", links: facts.links)))
            driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
            plan = try #require(driver.running.first)
            facts.links = ServerLinks()
        }
        let document = try Self.document("http://mirror/file")
        var effects = driver.give(.head(fetch: plan.id, .take(facts)))
        #expect(Self.requested(effects) == [document.url])
        effects = driver.give(.described(.success(document)))
        #expect(effects.contains(.digest(.algorithm(.sha256))) && effects.contains(.content(.distrust)))
        #expect(driver.machine.wanted?.checksum == document.checksum)
    }

    @Test("a resumed download whose server's links are ignored requests no document")
    func resumedWithoutLinks() throws {
        var driver = try MachineDriver { $0.usesLinkedMirrors = false }
        driver.give(.begin)
        let version = KnownVersion(total: Self.total, validators: Validators(etag: "\"v1\""))
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 1 << 20)])))
        driver.give(.reopened)
        let plan = try #require(driver.running.first)
        let effects = driver.give(.head(fetch: plan.id, .take(Self.facts(from: plan.ask.offset))))
        #expect(Self.requested(effects).isEmpty)
    }

    @Test("if the file starts again meanwhile, the sources in the document are not added")
    func startsAgain() throws {
        var driver = try Self.started()
        driver.give(.described(.success(try Self.document("http://mirror/file"))))
        driver.machine.restart(.sourceChanged, of: .main, now: driver.now)
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
        driver.give(.distrusted)
        #expect(driver.machine.phase == .probing && driver.machine.homes.count == 1)
    }

    @Test(
        "bytes that only a checksum can verify wait for the document, and start again if it has none",
        arguments: [true, false], [true, false])
    func awaited(hasChecksum: Bool, isEarly: Bool) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        var version = KnownVersion(total: Self.total, validators: Validators(etag: "\"v1\""))
        version.provenance = .unproven
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 1 << 20)])))
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .take(Self.facts(end: 1))))
        let document = try Self.document(hasChecksum: hasChecksum)
        if isEarly { driver.give(.described(.success(document))) }
        var effects = driver.give(.ended(fetch: probe.id, position: 0, .cancelled))
        if !isEarly {
            driver.pass(.seconds(5))
            #expect(effects.isEmpty && driver.running.isEmpty && driver.events.isEmpty)
            effects = driver.give(.described(.success(document)))
        }
        let resumes = effects.contains { if case .content(.resume) = $0 { true } else { false } }
        #expect(resumes == hasChecksum)
        #expect(driver.events == (hasChecksum ? [] : [.notice(DownloadMachine.lacksDigest)]))
        #expect(driver.running.count == (hasChecksum ? 0 : 1))
        #expect((driver.machine.wanted != nil) == hasChecksum)
    }

    @Test("a stop while the document is awaited keeps the bytes")
    func stopped() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        var version = KnownVersion(total: Self.total, validators: Validators(etag: "\"v1\""))
        version.provenance = .unproven
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 1 << 20)])))
        driver.give(.head(fetch: 1, .take(Self.facts(end: 1))))
        driver.give(.ended(fetch: 1, position: 0, .cancelled))
        #expect(driver.give(.stop) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.resumption == .resumes)
    }

    /// A partial file that only a checksum can verify.
    private static func unproven() -> (version: KnownVersion, pieces: [Located.Piece]) {
        var version = KnownVersion(total: total, validators: Validators(etag: "\"v1\""))
        version.provenance = .unproven
        return (version, [Located.Piece(start: 0, position: 1 << 20)])
    }

    private static func resumes(_ effects: [MachineEffect]) -> Bool {
        effects.contains { if case .content(.resume) = $0 { true } else { false } }
    }

    @Test("a document that comes while the file is prepared is used when the first segment is fetched")
    func comesEarly() throws {
        var driver = try MachineDriver(connections: .fixed(4))
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.give(.head(fetch: 1, .take(Self.facts())))
        let early = driver.give(.described(.success(try Self.document("http://mirror/file"))))
        #expect(early.isEmpty && driver.machine.wanted == nil)
        let effects = driver.give(.prepared(.fresh(path: "/tmp/f")))
        #expect(effects.contains(.digest(.algorithm(.sha256))) && effects.contains(.content(.distrust)))
        #expect(driver.machine.wanted != nil)
        driver.give(.distrusted)
        #expect(driver.machine.homes.map(\.host) == ["host", "mirror"])
    }

    @Test(
        "a partial file under the server's name is resumed with the document's checksum, whenever it comes",
        arguments: [true, false])
    func comesBeforeThePartialFile(isEarly: Bool) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.unnamed))
        driver.give(.head(fetch: 1, .take(Self.facts())))
        let document = try Self.document("http://mirror/file")
        if isEarly { driver.give(.described(.success(document))) }
        let (version, pieces) = Self.unproven()
        #expect(
            driver.give(.prepared(.resumable(path: "/tmp/f", version, pieces))) == [.network(.cancel(1))])
        var effects = driver.give(.ended(fetch: 1, position: 0, .cancelled))
        if !isEarly { effects = driver.give(.described(.success(document))) }
        #expect(Self.resumes(effects) && !effects.contains(.content(.distrust)))
        #expect(driver.events.isEmpty && driver.machine.wanted != nil)
        // Its sources are added once the journal is written.
        #expect(driver.give(.reopened).contains(.content(.distrust)))
    }

    /// A download whose bytes wait for the document.
    private static func waiting(isEarly: Bool, _ error: DownloadError) throws -> (MachineDriver, [MachineEffect]) {
        var driver = try MachineDriver()
        driver.give(.begin)
        let (version, pieces) = unproven()
        driver.give(.located(.resumable(path: "/tmp/f", version, pieces)))
        driver.give(.head(fetch: 1, .take(facts(end: 1))))
        if isEarly { driver.give(.described(.failure(error))) }
        let effects = driver.give(.ended(fetch: 1, position: 0, .cancelled))
        return (driver, effects)
    }

    @Test("a document that can't be read is requested again while bytes wait for it", arguments: [true, false])
    func repeats(isEarly: Bool) throws {
        let document = try Self.document()
        let error = DownloadError(.serverBusy, "busy")
        var (driver, effects) = try Self.waiting(isEarly: isEarly, error)
        let request = MachineEffect.network(.describe(document.url))
        #expect(effects == (isEarly ? [request] : []))
        #expect(driver.give(.described(.failure(error))).isEmpty)
        #expect(driver.waits.count == 1)
        driver.now += .seconds(60)
        #expect(driver.give(.tick([])) == [request])
        driver.now += .seconds(60)
        #expect(driver.give(.tick([])).isEmpty)
        effects = driver.give(.described(.success(document)))
        #expect(Self.resumes(effects) && driver.machine.wanted != nil)
    }

    @Test("if the document can't be read at all, the download fails and the bytes that wait for it are kept")
    func staysUnreadable() throws {
        let error = DownloadError(.timedOut, "no complete response within 30 s")
        var (driver, effects) = try Self.waiting(isEarly: false, error)
        var failures = 0
        while !effects.contains(.content(.save)), failures < 100 {
            driver.now += .seconds(60)
            driver.give(.tick([]))
            effects = driver.give(.described(.failure(error)))
            failures += 1
        }
        #expect(effects == [.content(.save)])
        #expect(failures == driver.machine.configuration.retry.limit + 1)
        driver.give(.closed)
        #expect(driver.failure?.code == .timedOut)
        #expect(driver.failure?.message.contains("the partial file is kept") == true)
        #expect(driver.plans.isEmpty && !driver.events.contains(.notice(DownloadMachine.lacksDigest)))
    }

    @Test("without bytes that wait for it, a document that can't be read is not requested again")
    func isOptional() throws {
        var driver = try Self.started()
        let effects = driver.give(.described(.failure(DownloadError(.serverBusy, "busy"))))
        let repeats = effects.contains { if case .network(.describe) = $0 { true } else { false } }
        #expect(!repeats)
        driver.pass(.seconds(60))
        #expect(driver.machine.wanted == nil && driver.waits.isEmpty && driver.failure == nil)
    }
}
