import Testing

@testable import HaulCore

@Suite("The machine: several sources")
struct SeveralSourcesTests {
    static let total: Int64 = 64 << 20

    static func driver(
        connections: Int = 4, priorities: [Int] = [1], _ change: (inout DownloadSpec) -> Void = { _ in }
    ) throws -> MachineDriver {
        try MachineDriver(connections: .fixed(connections)) { spec in
            spec.mirrors = priorities.enumerated().map {
                DownloadSpec.Mirror(url: "http://mirror\($0.offset + 1)/file", priority: $0.element)
            }
            change(&spec)
        }
    }

    static let checksum = try? Checksum(.sha256, hex: String(repeating: "ab", count: 32))

    @Test("before the main source has answered, no other is asked")
    func mainFirst() throws {
        var driver = try Self.driver()
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        driver.pass(.seconds(3))
        #expect(driver.running.map(\.source) == [0])
    }

    @Test("with a checksum others are asked at once, over one connection")
    func vouched() throws {
        var driver = try Self.driver { $0.checksum = Self.checksum }
        try driver.start(total: Self.total)
        #expect(driver.running.map(\.source).sorted() == [0, 0, 0, 1])
        #expect(driver.running.allSatisfy { !$0.isProof })
    }

    @Test("without one, a mirror compares an overlap first, and waits until there is one")
    func comparison() throws {
        var driver = try Self.driver()
        try driver.start(total: Self.total)
        #expect(driver.running.allSatisfy { $0.source == 0 })
        driver.deliver(1 << 20)
        let proof = try #require(driver.running.first { $0.source == 1 })
        #expect(proof.isProof)
        #expect(proof.end == proof.position + 65_536)
        #expect(proof.ask.known == KnownVersion(total: Self.total, validators: Validators()))
        #expect(driver.running.count { $0.source == 1 } == 1)
        driver.accept(proof, etag: "\"other\"")
        driver.give(.ended(fetch: proof.id, position: proof.end ?? 0, .enough))
        let fetch = try #require(driver.running.first { $0.source == 1 })
        #expect(!fetch.isProof)
        #expect(fetch.ask.known?.validators.etag == "\"other\"")
    }

    @Test("fewer than 64 KiB prove nothing, also while the main source is silent")
    func fewBytes() throws {
        var driver = try Self.driver(connections: 2)
        try driver.start(total: Self.total)
        driver.deliver(10_000)
        driver.pass(.seconds(2))
        #expect(driver.running.map(\.source) == [0])
        driver.deliver(60_000)
        #expect(driver.running.contains { $0.source == 1 && $0.isProof && $0.end == 70_000 })
    }

    @Test("where the main source ends with fewer, the next one begins anew", arguments: [false, true])
    func fewBytesLeft(isForGood: Bool) throws {
        var driver = try Self.driver(connections: 2)
        try driver.start(total: Self.total)
        driver.deliver(10_000)
        let fetch = try #require(driver.running.first)
        let error = DownloadError(isForGood ? .invalidRequest : .connectionFailed, "gone")
        driver.give(.ended(fetch: fetch.id, position: 10_000, .broken(error)))
        let next = try #require(driver.running.first)
        #expect(driver.running.count == 1)
        #expect(next.source == 1 && !next.isProof && next.position == 0 && next.ask.known == nil)
        #expect(driver.machine.phase == .probing)
    }

    @Test("a source without validators goes on with what it has brought alone, however little that is")
    func fewBytesOfItsOwn() throws {
        var driver = try Self.driver(connections: 2)
        try driver.start(total: Self.total, etag: nil)
        for _ in 0..<12 {
            let fetch = try #require(driver.running.first)
            let end = fetch.isProof ? fetch.end ?? 0 : driver.position(of: fetch) + 10_000
            if fetch.id > 1 { driver.accept(fetch, etag: nil) }
            driver.give(.ended(fetch: fetch.id, position: end, .complete))
        }
        #expect(driver.running.map(\.source) == [0])
        #expect(driver.machine.map.written == 60_000)
    }

    @Test("a mirror whose overlap differs is left out and named, and never asked again")
    func differs() throws {
        var driver = try Self.driver()
        try driver.start(total: Self.total)
        driver.deliver(1 << 20)
        let proof = try #require(driver.running.first { $0.isProof })
        driver.accept(proof, etag: "\"x\"")
        driver.give(.ended(fetch: proof.id, position: proof.position, .differs))
        #expect(driver.excluded == ["http://mirror1/file"])
        driver.deliver(2 << 20)
        #expect(driver.running.allSatisfy { $0.source == 0 })
        #expect(driver.running.count == 4)
    }

    /// A machine whose mirror has proved itself beside the main source.
    private func joined(_ change: (inout DownloadSpec) -> Void = { _ in }) throws -> MachineDriver {
        var driver = try Self.driver(change)
        try driver.start(total: Self.total)
        driver.deliver(1 << 20)
        guard let proof = driver.running.first(where: { $0.isProof }) else { return driver }
        driver.accept(proof, etag: "\"other\"")
        driver.give(.ended(fetch: proof.id, position: proof.end ?? 0, .enough))
        return driver
    }

    @Test("a main source that has changed decides, whatever mirrors equal some of the old bytes: all starts again")
    func mainChanges() throws {
        var driver = try joined()
        #expect(driver.machine.isFirm(1))
        driver.machine.sourceDiffers(.main, now: driver.now)
        #expect(driver.machine.phase == .draining(.restart))
        driver.endCancelled()
        driver.give(.tick([]))
        #expect(driver.excluded == [] && driver.events.contains(.notice(.sourceChanged)))
    }

    @Test("if it contradicts them again after that, the mirrors are wrong and left out")
    func mainContradicts() throws {
        var driver = try joined()
        driver.machine.restarts = 1
        driver.machine.sourceDiffers(.main, now: driver.now)
        driver.endCancelled()
        driver.give(.tick([]))
        #expect(driver.excluded == ["http://mirror1/file"] && !driver.machine.sources.isUsable(1))
    }

    @Test("if a checksum decides at the end, a main source that differs is left out")
    func mainDiffersUnderChecksum() throws {
        var driver = try joined { $0.checksum = Self.checksum }
        driver.machine.sources[1].isTrusted = true
        driver.machine.sources[1].responseCount = 1
        driver.machine.sourceDiffers(.main, now: driver.now)
        driver.endCancelled()
        driver.give(.tick([]))
        #expect(driver.excluded == ["http://host/file"])
    }

    @Test("a file that others complete while the main source contradicts itself is not taken")
    func completedMeanwhile() throws {
        var driver = try joined()
        _ = driver.machine.sources[.main].consensus.receivedOther(1000, next: 1001, hasOtherDate: true)
        driver.machine.didFill(now: driver.now)
        #expect(driver.machine.phase == .draining(.restart))
    }

    @Test("the better priority is asked first, and the next one takes what its host does not get")
    func priorities() throws {
        var driver = try Self.driver(connections: 2, priorities: [3, 2]) { $0.checksum = Self.checksum }
        try driver.start(total: Self.total)
        #expect(driver.running.map(\.source).sorted() == [0, 2])
    }

    @Test("of equals the fast one gets the next connection")
    func speeds() throws {
        var driver = try Self.driver(connections: 5, priorities: [1]) { $0.checksum = Self.checksum }
        try driver.start(total: Self.total)
        for plan in driver.running where plan.id != 1 { driver.accept(plan, etag: "\"v1\"") }
        let slow = try #require(driver.running.last { $0.source == 0 })
        for _ in 0..<20 { driver.deliver(speed: { $0.source == 0 ? 50_000 : 100_000 }) }
        driver.give(
            .ended(fetch: slow.id, position: driver.position(of: slow), .broken(DownloadError(.badResponse, "cut"))))
        #expect(driver.running.last?.source == 1)
    }

    @Test(
        "the main source fails before anything is there: the next is asked at once",
        arguments: [
            ResponseDecision.denied(status: 404), .refuse(DownloadError(.contentEncoded, "c")), .tryAgain(status: 500),
            .busy(status: 503, retryAfter: 60),
        ])
    func failover(decision: ResponseDecision) throws {
        var driver = try Self.driver(priorities: [2, 1])
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let probe = try #require(driver.running.first)
        driver.give(.head(fetch: probe.id, decision))
        driver.give(.ended(fetch: probe.id, position: 0, .rejected))
        #expect(driver.running.map(\.source) == [2])
    }

    @Test("all fail: the reason is the main source's")
    func allFail() throws {
        var driver = try Self.driver(priorities: [1, 1])
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        for status in [404, 403, 403] {
            let plan = try #require(driver.running.first)
            driver.give(.head(fetch: plan.id, .denied(status: status)))
            driver.give(.ended(fetch: plan.id, position: 0, .rejected))
        }
        driver.give(.closed)
        #expect(driver.failure?.code == .notFound)
        #expect(driver.ends == 1)
    }

    @Test("a wrong size is noticed at the first answer, and the next source is asked")
    func wrongSize() throws {
        var driver = try Self.driver { $0.expectedBytes = 1000 }
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let probe = try #require(driver.running.first)
        let facts = ResponseFacts(offset: 0, end: 999, total: 999, servesRanges: true)
        #expect(driver.give(.head(fetch: probe.id, .take(facts))) == [.network(.cancel(probe.id))])
        driver.give(.ended(fetch: probe.id, position: 0, .cancelled))
        #expect(driver.running.map(\.source) == [1])
        #expect(driver.excluded == ["http://host/file"])
    }

    @Test("a body of unknown size that is longer than expected is not of another version: the next source is asked")
    func longerThanExpected() throws {
        var driver = try Self.driver { $0.expectedBytes = 1000 }
        driver.give(.begin)
        driver.give(.located(.fresh(path: "/tmp/f")))
        let facts = ResponseFacts(offset: 0, end: nil, total: nil, validators: Validators(etag: "\"v1\""))
        driver.give(.head(fetch: 1, .take(facts)))
        let attach = NetworkEffect.attach(fetch: 1, segment: 0, end: 1001, isLimit: true)
        let effects = driver.give(.prepared(.fresh(path: "/tmp/f")))
        #expect(effects.contains(.network(attach)))
        driver.give(.ended(fetch: 1, position: 1001, .enough))
        #expect(driver.excluded == ["http://host/file"] && driver.running.map(\.source) == [1])
    }

    @Test("a checksum that is wrong: each source alone, then the failure that names them")
    func mismatch() throws {
        var driver = try Self.driver(connections: 2) { $0.checksum = Self.checksum }
        try driver.start(total: 1 << 20)
        for plan in driver.running where plan.source == 1 { driver.accept(plan, etag: "\"m\"") }
        driver.fill()
        driver.give(.verified(hex: "00"))
        for source in [0, 1] as [SourceID] {
            let probe = try #require(driver.running.first)
            #expect(driver.running.map(\.source) == [source])
            let facts = ResponseFacts(
                offset: 0, end: 1 << 20, total: 1 << 20, validators: Validators(etag: "\"v\""), servesRanges: true)
            driver.give(.head(fetch: probe.id, .take(facts)))
            driver.give(.prepared(.fresh(path: "/tmp/f")))
            driver.pass(.seconds(1))
            #expect(driver.running.allSatisfy { $0.source == source })
            driver.fill()
            #expect(driver.machine.phase == .verifying)
            driver.give(.verified(hex: "11"))
        }
        #expect(driver.give(.closed) == [])
        #expect(driver.failure?.code == .checksumMismatch)
        #expect(driver.failure?.description.contains("mirror1") == true)
    }

    @Test("a main source whose parts prove nothing is asked for the whole file, once the mirror's has another checksum")
    func wholeAlone() throws {
        var driver = try Self.driver(connections: 4) { $0.checksum = Self.checksum }
        try driver.start(total: Self.total)
        for plan in driver.running where plan.source == 1 { driver.accept(plan, etag: "\"m\"") }
        driver.give(.ended(fetch: 1, position: 1 << 20, .broken(DownloadError(.badResponse, "cut"))))
        while let part = driver.running.last(where: { $0.source == 0 }) {
            driver.give(.head(fetch: part.id, .unproven))
            driver.give(.ended(fetch: part.id, position: part.position, .rejected))
        }
        #expect(driver.excluded == ["http://host/file"] && driver.running.allSatisfy { $0.source == 1 })
        driver.fill()
        driver.give(.verified(hex: "00"))
        let whole = try #require(driver.running.first)
        #expect(driver.running.count == 1 && whole.source == 0 && whole.ask.rangeHeader == nil)
        let facts = ResponseFacts(
            offset: 0, end: Self.total, total: Self.total, validators: Validators(etag: "\"v1\""), servesRanges: true)
        driver.give(.head(fetch: whole.id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        driver.pass(.seconds(1))
        #expect(driver.running.map(\.id) == [whole.id])
        driver.fill()
        #expect(driver.machine.phase == .verifying)
    }

    @Test("a main source that broke too often goes on with what is there, once the mirror is gone")
    func flakyAlone() throws {
        var driver = try Self.driver(connections: 2)
        try driver.start(total: Self.total)
        driver.deliver(1 << 20)
        let proof = try #require(driver.running.first { $0.isProof })
        driver.accept(proof, etag: "\"m\"")
        driver.give(.ended(fetch: proof.id, position: proof.end ?? 0, .enough))
        let cut = FetchEnd.broken(DownloadError(.connectionFailed, "cut"))
        for _ in 0..<20 where driver.excluded.isEmpty {
            if let plan = driver.running.first(where: { $0.source == 0 }) {
                driver.give(.ended(fetch: plan.id, position: driver.position(of: plan), cut))
            }
            driver.pass(.seconds(20))
            driver.endCancelled()
        }
        #expect(driver.excluded == ["http://host/file"])
        while let mirror = driver.running.first(where: { $0.source == 1 }) {
            driver.give(.head(fetch: mirror.id, .denied(status: 404)))
            driver.give(.ended(fetch: mirror.id, position: mirror.position, .rejected))
        }
        driver.pass(.seconds(60))
        let next = try #require(driver.running.first)
        #expect(
            next.source == 0 && next.position >= 1 << 20 && driver.machine.result == nil,
            "\(next) \(driver.machine.phase)")
    }

    @Test("bad pieces are taken back and asked of another source; two of them make a liar")
    func pieces() throws {
        let hash = String(repeating: "cd", count: 20)
        var driver = try Self.driver(connections: 2) {
            $0.pieces = try? PieceHashes(length: 1 << 18, algorithm: .sha1, hashes: Array(repeating: hash, count: 4))
        }
        try driver.start(total: 1 << 20)
        for plan in driver.running where plan.source == 1 { driver.accept(plan, etag: "\"m\"") }
        #expect(driver.running.map(\.source).sorted() == [0, 1])
        driver.fill()
        let effects = driver.give(.piecesChecked(bad: [3]))
        guard case .content(.revert(let map))? = effects.first else {
            Issue.record("\(effects)")
            return
        }
        #expect(map.written == 3 << 18)
        driver.give(.reopened)
        let again = try #require(driver.running.first { $0.position == 3 << 18 })
        let contributors = driver.machine.sources.suspects.map(\.source)
        #expect(contributors.count == 1)
        #expect(!contributors.contains(again.source))
        driver.fill()
        driver.give(.piecesChecked(bad: []))
        driver.give(.verified(hex: nil))
        driver.give(.published(path: "/tmp/f"))
        #expect(driver.failure == nil && driver.ends == 1)
        #expect(driver.excluded == [])
    }

    @Test("one source alone is asked again for bad pieces, but not for ever")
    func piecesAlone() throws {
        let hash = String(repeating: "cd", count: 20)
        var driver = try MachineDriver {
            $0.pieces = try? PieceHashes(length: 1 << 18, algorithm: .sha1, hashes: Array(repeating: hash, count: 4))
        }
        try driver.start(total: 1 << 20)
        var rounds = 0
        while driver.machine.result == nil, rounds < 20 {
            driver.fill()
            driver.give(.piecesChecked(bad: [0, 2]))
            driver.give(.reopened)
            if case .closing = driver.machine.phase { driver.give(.closed) }
            rounds += 1
        }
        #expect(driver.failure?.code == .checksumMismatch)
        #expect(rounds == 4)
    }
}

extension MachineDriver {
    /// The sources that were left out.
    var excluded: [String] {
        events.compactMap { if case .notice(.sourceExcluded(let url, _)) = $0 { url } else { nil } }
    }

    /// Lets the fetches end that were cancelled.
    mutating func endCancelled() {
        for plan in running where machine.fetches[plan.id]?.cancellation != nil {
            give(.ended(fetch: plan.id, position: position(of: plan), .cancelled))
        }
    }

    /// Accepts the head of a fetch.
    mutating func accept(_ plan: FetchPlan, etag: String?) {
        let total = machine.map.total ?? 0
        let facts = ResponseFacts(
            offset: plan.ask.offset, end: plan.end, total: total, validators: Validators(etag: etag), servesRanges: true
        )
        give(.head(fetch: plan.id, .take(facts)))
    }

    /// Where the segment of a fetch stands.
    func position(of plan: FetchPlan) -> Int64 {
        plan.isProof ? plan.position : machine.map.segment(plan.segment ?? 0)?.position ?? plan.position
    }

    /// One tick in which each running fetch of a segment brings so many bytes.
    mutating func deliver(_ count: Int64 = 100_000, speed: ((FetchPlan) -> Int64)? = nil) {
        now += .milliseconds(100)
        let samples = running.map { plan in
            let at = position(of: plan) + (plan.isProof ? 0 : speed?(plan) ?? count)
            let segment = plan.segment ?? 0
            let position = min(at, machine.map.end(of: segment) ?? at)
            return FetchSample(id: plan.id, position: position, received: position, isHeldBack: false)
        }
        give(.tick(samples))
    }

    /// Lets every fetch bring all of its segment, one after the other, until the file is complete.
    mutating func fill() {
        while machine.phase == .transferring, let plan = running.first {
            if plan.isProof {
                give(.ended(fetch: plan.id, position: plan.end ?? 0, .enough))
                continue
            }
            let segment = plan.segment ?? 0
            give(.ended(fetch: plan.id, position: machine.map.end(of: segment) ?? 0, .complete))
        }
        // What was cancelled has to end, too.
        while case .draining = machine.phase, let plan = running.first {
            give(.ended(fetch: plan.id, position: position(of: plan), .cancelled))
        }
    }
}
