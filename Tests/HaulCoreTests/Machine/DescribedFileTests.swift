import Testing

@testable import HaulCore

@Suite("The machine and the document that a server names for the file")
struct DescribedFileTests {
    private static let total: Int64 = 64 << 20

    /// The facts of a response that names a document.
    private static func facts(end: Int64 = total) -> ResponseFacts {
        var facts = ResponseFacts(
            offset: 0, end: end, total: total, validators: Validators(etag: "\"v1\""), servesRanges: true)
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
        let effects = driver.give(.described(document))
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
            let effects = driver.give(.described(document))
            #expect(!effects.contains(.content(.distrust)))
            #expect(driver.machine.homes.count == 1)
            #expect(driver.machine.provenance(revealsVersions: true) == .oneSource)
        }
    }

    @Test("if the file starts again meanwhile, the sources in the document are not added")
    func startsAgain() throws {
        var driver = try Self.started()
        driver.give(.described(try Self.document("http://mirror/file")))
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
        if isEarly { driver.give(.described(document)) }
        var effects = driver.give(.ended(fetch: probe.id, position: 0, .cancelled))
        if !isEarly {
            driver.pass(.seconds(5))
            #expect(effects.isEmpty && driver.running.isEmpty && driver.events.isEmpty)
            effects = driver.give(.described(document))
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
}
