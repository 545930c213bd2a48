import Testing

@testable import HaulCore

@Suite("The proof of a new source")
struct SourceProofTests {
    static let total: Int64 = 4 << 20
    /// A tag like those of object stores.
    static let digest = "\"0123456789abcdef0123456789ABCDEF-12\""
    static let old = KnownVersion(total: total, validators: Validators(etag: "\"old\""))
    static let pieces = [
        Located.Piece(start: 0, position: 1 << 20), .init(start: 2 << 20, position: 2 << 20 + 100),
        .init(start: 3 << 20, position: total),
    ]

    static func facts(_ etag: String?, total: Int64? = total, servesRanges: Bool = true) -> ResponseFacts {
        ResponseFacts(offset: 0, end: nil, total: total, validators: Validators(etag: etag), servesRanges: servesRanges)
    }

    /// A machine that has just sent its first comparison.
    static func begun(connections: Int = 4, _ pieces: [Located.Piece] = pieces) throws -> MachineDriver {
        var driver = try MachineDriver(connections: .fixed(connections))
        driver.give(.begin)
        driver.give(.located(.provable(path: "/tmp/f", old, pieces)))
        return driver
    }

    @Test(
        "another date is another file, unless the tags are the same digest; another tag alone is not",
        arguments: [
            ("\"a\"", "\"a\"", "x", false), ("\"a\"", "\"b\"", "x", false), ("\"a\"", "\"a\"", "y", true),
            ("\"a\"", "\"b\"", "y", true), (digest, digest, "y", false), ("W/\(digest)", "W/\(digest)", "y", true),
            (nil, nil, "x", false), (nil, nil, "y", true), (nil, "\"a\"", "y", true), ("\"a\"", nil, "y", true),
        ] as [(String?, String?, String, Bool)])
    func validators(old tag: String?, new: String?, date: String, isOther: Bool) {
        let old = KnownVersion(total: Self.total, validators: Validators(etag: tag, lastModified: "x"))
        var proof = SourceProof(of: old, SegmentMap(total: Self.total, resuming: [(0, 1 << 20)]), overlap: 65_536)
        var facts = Self.facts(nil)
        facts.validators = Validators(etag: new, lastModified: date)
        let refusal = proof.receive(facts)
        #expect((refusal.map { if case .other = $0 { true } else { false } } ?? false) == isOther)
    }

    @Test("one comparison after the other, over one connection; then all pieces count, at the new version")
    func allPieces() throws {
        var driver = try Self.begun()
        let wanted: [ByteRange] = [
            ByteRange(1 << 20 - 65_536, 1 << 20), ByteRange(0, 65_536), ByteRange(2 << 20, 2 << 20 + 100),
            ByteRange(Self.total - 65_536, Self.total), ByteRange(3 << 20, 3 << 20 + 65_536),
        ].compactMap(\.self)
        for (index, range) in wanted.enumerated() {
            #expect(driver.running.count == 1)
            let plan = try #require(driver.running.first)
            #expect(plan.isProof && plan.segment == nil)
            #expect(plan.ask.offset == range.lowerBound && plan.ask.end == range.upperBound)
            #expect(plan.ask.ifRangeHeader == (index == 0 ? nil : "\"new\""))
            driver.give(.head(fetch: plan.id, .take(Self.facts("\"new\""))))
            let effects = driver.give(.ended(fetch: plan.id, position: range.upperBound, .complete))
            guard index == wanted.count - 1 else { continue }
            guard case .content(.resume(let version, let map, _))? = effects.first else { return #expect(Bool(false)) }
            #expect(version.validators.etag == "\"new\"" && version.total == Self.total)
            #expect(map.segments.map(\.position) == Self.pieces.map(\.position))
        }
        driver.give(.reopened)
        #expect(driver.running.count == 4)
        #expect(driver.running.allSatisfy { !$0.isProof })
    }

    @Test("the same digest as the tag of both: one comparison is enough; another tag is not", arguments: [true, false])
    func tags(isStrong: Bool) throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        let tag = isStrong ? Self.digest : "\"t\""
        let version = KnownVersion(total: Self.total, validators: Validators(etag: tag))
        driver.give(.located(.provable(path: "/tmp/f", version, Self.pieces)))
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .take(Self.facts(tag))))
        let effects = driver.give(.ended(fetch: plan.id, position: 1 << 20, .complete))
        if case .content(.resume)? = effects.first { #expect(isStrong) } else { #expect(!isStrong) }
        #expect(driver.running.isEmpty == isStrong)
    }

    /// A machine whose first response let a file of another program be compared, and that sends the comparison.
    static func adopting(_ validators: Validators) throws -> MachineDriver {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.unnamed))
        let first = try #require(driver.running.first)
        var facts = facts(nil)
        facts.validators = validators
        driver.give(.head(fetch: first.id, .take(facts)))
        // Nothing is known of the version that the other program had.
        let version = KnownVersion(total: total, validators: Validators())
        driver.give(
            .prepared(
                .adoptable(path: "/tmp/f", file: "/tmp/f", version, [Located.Piece(start: 0, position: 1 << 20)])))
        driver.give(.ended(fetch: first.id, position: 0, .cancelled))
        return driver
    }

    @Test(
        "another program's file whose version changes before it is compared is examined again",
        arguments: [
            (Validators(etag: "\"a\""), Validators(etag: "\"b\"")),
            (Validators(lastModified: "x"), Validators(lastModified: "y")),
            (Validators(), Validators(lastModified: "y")),
        ])
    func changesBeforeComparison(first: Validators, later: Validators) throws {
        var driver = try Self.adopting(first)
        let comparison = try #require(driver.running.first)
        #expect(comparison.isProof)
        var facts = Self.facts(nil)
        facts.validators = later
        #expect(driver.give(.head(fetch: comparison.id, .take(facts))) == [.network(.cancel(comparison.id))])
        driver.give(.ended(fetch: comparison.id, position: comparison.position, .cancelled))
        let again = try #require(driver.running.first)
        #expect(!again.isProof && again.ask.offset == 0 && again.ask.end == nil)
        let effects = driver.give(.head(fetch: again.id, .take(facts)))
        guard case .content(.prepare)? = effects.first else { return #expect(Bool(false)) }
    }

    @Test("a partial file of another source is left alone if the new source changes before the comparison")
    func changesBeforeProof() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        driver.give(.located(.unnamed))
        let first = try #require(driver.running.first)
        driver.give(.head(fetch: first.id, .take(Self.facts("\"old\""))))
        driver.give(.prepared(.provable(path: "/tmp/f", Self.old, [Located.Piece(start: 0, position: 1 << 20)])))
        driver.give(.ended(fetch: first.id, position: 0, .cancelled))
        let comparison = try #require(driver.running.first)
        #expect(comparison.isProof)
        driver.give(.head(fetch: comparison.id, .take(Self.facts("\"new\""))))
        let effects = driver.give(.ended(fetch: comparison.id, position: comparison.position, .cancelled))
        #expect(Self.left(effects)?.code == .sourceChanged)
    }

    @Test("another program's file is compared completely, also if the version stays")
    func staysDuringAdoption() throws {
        let tag = Validators(etag: "\"a\"", lastModified: "x")
        var driver = try Self.adopting(tag)
        var facts = Self.facts(nil)
        facts.validators = tag
        for end in [1 << 20, 65_536] as [Int64] {
            let comparison = try #require(driver.running.first)
            #expect(comparison.isProof && comparison.ask.end == end)
            driver.give(.head(fetch: comparison.id, .take(facts)))
            driver.give(.ended(fetch: comparison.id, position: end, .complete))
        }
        #expect(driver.running.isEmpty)
    }

    /// The error of a failed proof, if the partial file is to be left for another one.
    static func left(_ effects: [MachineEffect]) -> DownloadError? {
        guard case .content(.leave(let error))? = effects.first, effects.count == 1 else { return nil }
        return error
    }

    @Test("a response that can't be compared ends it, and nothing is touched", arguments: [true, false])
    func incomparable(servesRanges: Bool) throws {
        let facts = Self.facts("\"n\"", total: servesRanges ? nil : Self.total, servesRanges: servesRanges)
        var driver = try Self.begun()
        let plan = try #require(driver.running.first)
        #expect(driver.give(.head(fetch: plan.id, .take(facts))) == [.network(.cancel(plan.id))])
        #expect(driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.code == .sourceChanged)
    }

    @Test(
        "a response of another file: the partial is left, and the download starts with another one",
        arguments: [false, true])
    func otherFile(hasAnother: Bool) throws {
        var driver = try Self.begun()
        let plan = try #require(driver.running.first)
        let other = Self.facts("\"n\"", total: Self.total + 1)
        #expect(driver.give(.head(fetch: plan.id, .take(other))) == [.network(.cancel(plan.id))])
        let effects = driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled))
        let error = try #require(Self.left(effects))
        guard hasAnother else {
            #expect(driver.give(.fileFailed(error)) == [.content(.save)])
            driver.give(.closed)
            return #expect(driver.failure?.code == .sourceChanged)
        }
        driver.give(.located(.fresh(path: "/tmp/f")))
        let first = try #require(driver.running.first)
        #expect(!first.isProof && first.ask.offset == 0 && first.ask.end == nil)
        let facts = Self.facts("\"n\"", total: Self.total + 1)
        driver.give(.head(fetch: first.id, .take(facts)))
        driver.give(.prepared(.fresh(path: "/tmp/f")))
        #expect(driver.machine.map.total == Self.total + 1 && driver.machine.map.written == 0)
    }

    @Test(
        "what is no part of the same file ends it",
        arguments: [
            .changed, .rangesBroken("x"), .whole(facts("\"n\""), agreement: .same),
            .whole(facts("\"n\""), agreement: .unknown), .whole(facts("\"n\""), agreement: .different),
        ] as [ResponseDecision])
    func rejected(decision: ResponseDecision) throws {
        var driver = try Self.begun()
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, decision))
        #expect(driver.give(.ended(fetch: plan.id, position: plan.position, .rejected)) == [.content(.save)])
        driver.give(.closed)
        #expect(driver.failure?.code == .sourceChanged)
    }

    @Test("the server's file ends before the bytes to compare: it is another file")
    func shorter() throws {
        var driver = try Self.begun()
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .askWithoutRange))
        #expect(Self.left(driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))) != nil)
    }

    @Test("other bytes end it, at whichever piece", arguments: 0..<3)
    func differs(at index: Int) throws {
        var driver = try Self.begun()
        for turn in 0...index {
            let plan = try #require(driver.running.first)
            driver.give(.head(fetch: plan.id, .take(Self.facts("\"new\""))))
            let end = plan.end ?? 0
            let effects = driver.give(
                .ended(
                    fetch: plan.id, position: turn == index ? plan.position : end, turn == index ? .differs : .complete)
            )
            if turn == index { #expect(Self.left(effects)?.code == .sourceChanged) }
        }
    }

    @Test(
        "a break on the way: the rest is asked for, after a wait where nothing came", arguments: [0, 1000] as [Int64])
    func broken(gained: Int64) throws {
        var driver = try Self.begun()
        let plan = try #require(driver.running.first)
        driver.give(.head(fetch: plan.id, .take(Self.facts("\"new\""))))
        let error = DownloadError(.connectionFailed, "x")
        driver.give(.ended(fetch: plan.id, position: plan.position + gained, .broken(error)))
        driver.pass(.seconds(3))
        #expect(driver.running.map(\.ask.offset) == [plan.ask.offset + gained])
        #expect(driver.waits.count == 1)
    }

    @Test("answers without a byte use up the tries")
    func emptyAnswers() throws {
        var driver = try Self.begun()
        var tries = 0
        while let plan = driver.running.first, tries < 20 {
            tries += 1
            driver.give(.head(fetch: plan.id, .take(Self.facts("\"new\""))))
            driver.give(.ended(fetch: plan.id, position: plan.position, .complete))
            driver.pass(.seconds(60))
        }
        driver.give(.closed)
        #expect(driver.failure?.code == .badResponse)
        #expect(tries == 6)
    }
}
