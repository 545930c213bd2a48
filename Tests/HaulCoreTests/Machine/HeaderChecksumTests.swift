import Testing

@testable import HaulCore

@Suite("The machine and the digest in the server's header")
struct HeaderChecksumTests {
    static func digest(_ byte: String = "ab") throws -> HeaderDigest {
        HeaderDigest(try Checksum(.sha256, hex: String(repeating: byte, count: 32)), field: "Repr-Digest")
    }

    static func facts(_ digest: HeaderDigest?, offset: Int64 = 0, etag: String = "\"v1\"") -> ResponseFacts {
        ResponseFacts(
            offset: offset, end: 1000, total: 1000, validators: Validators(etag: etag), servesRanges: true,
            digest: digest)
    }

    /// Gives the first answer of a fresh download.
    static func start(_ driver: inout MachineDriver, _ facts: ResponseFacts) throws -> [MachineEffect] {
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        return driver.give(.head(fetch: try #require(driver.running.first).id, .take(facts)))
    }

    @Test("it is computed from the first answer on, and told at the end")
    func taken() throws {
        let digest = try Self.digest()
        var driver = try MachineDriver()
        let facts = Self.facts(digest)
        #expect(try Self.start(&driver, facts) == [.digest(.algorithm(.sha256)), .content(.prepare(facts))])
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.complete(driver.running[0])
        driver.give(.verified(hex: digest.checksum.hex))
        driver.give(.published(path: "/tmp/f"))
        let origin = ChecksumOrigin.header(name: "Repr-Digest", host: "host")
        #expect(try driver.machine.result?.get().verification == .checksum(digest.checksum, origin))
    }

    @Test("another digest at the end: a failure that names the header and its host, nothing published")
    func mismatch() throws {
        var driver = try MachineDriver()
        _ = try Self.start(&driver, Self.facts(try Self.digest()))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.complete(driver.running[0])
        #expect(driver.give(.verified(hex: String(repeating: "0", count: 64))) == [.content(.discard)])
        driver.give(.closed)
        let error = try #require(driver.failure)
        #expect(error.code == .checksumMismatch && error.message.contains("Repr-Digest from host"))
    }

    @Test("the caller's checksum counts before it, and it does not count where it is switched off or a part is wanted")
    func others() throws {
        let given = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        let changes: [@Sendable (inout DownloadSpec) -> Void] = [
            { $0.checksum = given }, { $0.usesHeaderChecksum = false }, { $0.range = ByteRange(0, 5000) },
        ]
        for change in changes {
            var driver = try MachineDriver(change)
            let facts = Self.facts(try Self.digest())
            #expect(try Self.start(&driver, facts) == [.content(.prepare(facts))])
        }
    }

    @Test(
        "the caller's word counts more: a header that contradicts it is told, and nothing fails",
        arguments: [true, false])
    func contradicted(isWrong: Bool) throws {
        let given = try Checksum(.sha256, hex: String(repeating: isWrong ? "cd" : "ab", count: 32))
        let reported = [TransferEvent.notice(.headerDigestWrong(header: "Repr-Digest", host: "host"))]
        var driver = try MachineDriver { $0.checksum = given }
        _ = try Self.start(&driver, Self.facts(try Self.digest()))
        #expect(driver.events == (isWrong ? reported : []))

        let pieces = try PieceHashes(length: 1000, algorithm: .sha1, hashes: [String(repeating: "1", count: 40)])
        driver = try MachineDriver { $0.pieces = pieces }
        let facts = Self.facts(try Self.digest())
        #expect(try Self.start(&driver, facts) == [.digest(.algorithm(.sha256)), .content(.prepare(facts))])
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        #expect(driver.complete(driver.running[0]) == [.content(.checkPieces(total: 1000))])
        #expect(driver.give(.piecesChecked(bad: [])) == [.content(.verify(total: 1000))])
        driver.events = []
        #expect(driver.give(.verified(hex: given.hex)) == [.content(.publish(total: 1000, modified: nil))])
        #expect(driver.events == (isWrong ? reported : []))
        driver.give(.published(path: "/tmp/f"))
        #expect(try driver.machine.result?.get().verification == .pieces(.sha1))
    }

    @Test("going on: the first answer tells it, later ones are not asked")
    func resumed() throws {
        var driver = try MachineDriver(connections: .fixed(2))
        driver.resume(total: 1000)
        let plans = driver.running
        try #require(plans.count == 2)
        let first = Self.facts(try Self.digest(), offset: plans[0].position)
        #expect(driver.give(.head(fetch: plans[0].id, .take(first))) == [.digest(.algorithm(.sha256))])
        let second = Self.facts(try Self.digest("cd"), offset: plans[1].position)
        #expect(driver.give(.head(fetch: plans[1].id, .take(second))).isEmpty)
        #expect(driver.machine.wanted?.checksum == first.digest?.checksum)
    }

    @Test("late: where the first answer told none, a later one does not count")
    func late() throws {
        var driver = try MachineDriver(connections: .fixed(2))
        driver.resume(total: 1000)
        let plans = driver.running
        driver.give(.head(fetch: plans[0].id, .take(Self.facts(nil, offset: plans[0].position))))
        let second = Self.facts(try Self.digest(), offset: plans[1].position)
        #expect(driver.give(.head(fetch: plans[1].id, .take(second))).isEmpty)
    }

    @Test("a new version has its own digest, or none")
    func changed() throws {
        for digest in [try Self.digest("cd"), nil] {
            var driver = try MachineDriver()
            _ = try Self.start(&driver, Self.facts(try Self.digest()))
            driver.give(.prepared(.fresh(path: "/tmp/f")))
            driver.give(
                .ended(fetch: driver.running[0].id, position: 500, .broken(DownloadError(.connectionFailed, "x"))))
            driver.pass(.seconds(60))
            let plan = try #require(driver.running.first)
            driver.give(.head(fetch: plan.id, .changed))
            driver.give(.ended(fetch: plan.id, position: 500, .rejected))
            let probe = try #require(driver.running.first)
            let new = Self.facts(digest, etag: "\"v2\"")
            let hash: [MachineEffect] = digest == nil ? [.digest(.algorithm(nil))] : []
            #expect(driver.give(.head(fetch: probe.id, .take(new))) == hash + [.content(.prepare(new))])
            #expect(driver.machine.wanted?.checksum == digest?.checksum)
        }
    }

    @Test("the digest of an old version says nothing about the new one, whatever source sends it")
    func changedThenGone() throws {
        var driver = try MachineDriver { $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] }
        _ = try Self.start(&driver, Self.facts(try Self.digest()))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        #expect(driver.machine.wanted != nil)
        driver.machine.restart(.sourceChanged, of: .main, now: driver.now)
        driver.give(.ended(fetch: 1, position: 0, .cancelled))
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, .denied(status: 404)))
        driver.give(.ended(fetch: probe.id, position: 0, .rejected))
        let other = try #require(driver.running.first)
        #expect(other.source == 1)
        driver.give(.head(fetch: other.id, .take(Self.facts(nil, etag: "\"v2\""))))
        #expect(driver.machine.wanted == nil)
    }
}
