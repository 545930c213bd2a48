import Testing

@testable import HaulCore

@Suite("What an earlier run left of several sources")
struct MixedPartialTests {
    /// Where its two stretches end, the second one 1000 bytes behind its start.
    static let ends: [Int64] = [10 << 20, (50 << 20) + 1000]

    private func resume(
        _ provenance: Provenance = .compared, _ change: (inout DownloadSpec) -> Void = { _ in }
    ) throws -> (MachineDriver, [MachineEffect]) {
        var driver = try MachineDriver(connections: .fixed(2), change)
        driver.give(.begin)
        var version = KnownVersion(total: 100 << 20, validators: Validators(etag: "\"v1\""))
        version.provenance = provenance
        let pieces = [
            Located.Piece(start: 0, position: Self.ends[0]), .init(start: Self.ends[1] - 1000, position: Self.ends[1]),
        ]
        let effects = driver.give(.located(.resumable(path: "/tmp/f", version, pieces)))
        driver.give(.reopened)
        return (driver, effects)
    }

    @Test("is compared before the main source goes on with it, since only that one's validators are known")
    func compared() throws {
        var (driver, effects) = try resume { $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] }
        #expect(driver.running.map(\.ask.offset) == [Self.ends[0] - 65_536])
        guard case .content(.resume(let version, _, _))? = effects.first else { return #expect(Bool(false)) }
        #expect(version.provenance == .compared)
        let plan = driver.running[0]
        driver.give(.ended(fetch: plan.id, position: plan.position, .differs))
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
        #expect(driver.events.contains(.notice(.sourceChanged)))
    }

    @Test(
        "is not where a checksum says at the end whether all is right, unless a later run may resume without it",
        arguments: [true, false])
    func vouchedFor(hasMirror: Bool) throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        let (driver, effects) = try resume {
            $0.checksum = checksum
            $0.mirrors = hasMirror ? [DownloadSpec.Mirror(url: "http://other/file")] : []
        }
        let first = try #require(driver.running.first)
        #expect(first.position == Self.ends[0] && (first.ask.offset == first.position) == hasMirror)
        guard case .content(.resume(let version, _, _))? = effects.first else { return #expect(Bool(false)) }
        #expect((version.provenance == .unproven) == hasMirror)
    }

    @Test("of one source is compared, too, whether a strong tag is known or only a date", arguments: [true, false])
    func compared(hasTag: Bool) throws {
        var driver = try MachineDriver(connections: .fixed(2))
        driver.give(.begin)
        let validators = Validators(
            etag: hasTag ? "\"v1\"" : "W/\"v1\"", lastModified: "Sat, 07 Nov 2026 10:00:00 GMT", dateIsStrong: true)
        let pieces = [Located.Piece(start: 0, position: 10 << 20), .init(start: 50 << 20, position: (50 << 20) + 1000)]
        driver.give(
            .located(.resumable(path: "/tmp/f", KnownVersion(total: 100 << 20, validators: validators), pieces)))
        driver.give(.reopened)
        #expect(driver.running.map { $0.position - $0.ask.offset } == [65_536, 1000])
        #expect(driver.running.allSatisfy { $0.ask.ifRangeHeader != nil })
    }

    @Test(
        "what was joined under a digest is continued only under one, whatever mirrors are given",
        arguments: [true, false], [true, false])
    func unproven(hasDigest: Bool, hasMirror: Bool) throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        let (driver, _) = try resume(.unproven) {
            $0.checksum = hasDigest ? checksum : nil
            $0.mirrors = hasMirror ? [DownloadSpec.Mirror(url: "http://other/file")] : []
        }
        let asked = try #require(driver.running.first)
        let notices = driver.events.filter { if case .notice = $0 { true } else { false } }
        if hasDigest { return #expect(asked.position == Self.ends[0] && notices.isEmpty) }
        #expect(asked.position == 0 && asked.segment == nil)
        // The source may still name a digest.
        #expect(asked.ask.end == 1 && notices.isEmpty)
    }

    /// A machine whose journal keeps no strong validators, because a mirror described the file or the main source has none.
    private func unidentified(
        _ validators: Validators = Validators(), hasMirror: Bool = true
    ) throws -> MachineDriver {
        var driver = try MachineDriver(connections: .fixed(2)) {
            $0.mirrors = hasMirror ? [DownloadSpec.Mirror(url: "http://other/file")] : []
        }
        driver.give(.begin)
        var version = KnownVersion(total: 100 << 20, validators: validators)
        version.provenance = .compared
        let pieces = [
            Located.Piece(start: 0, position: Self.ends[0]), .init(start: Self.ends[1] - 1000, position: Self.ends[1]),
        ]
        driver.give(.located(.resumable(path: "/tmp/f", version, pieces)))
        return driver
    }

    /// What is found, and whether the source that described it is one of this run.
    static let withoutBytes: [Located] = {
        var version = KnownVersion(total: 100 << 20, validators: Validators(etag: "\"v1\""))
        version.provenance = .compared
        version.describer = .formerURL
        let none = [Located.Piece(start: 0, position: 0)]
        return [
            .resumable(path: "/tmp/f", version, none), .resumable(path: "/tmp/f", version, []),
            .provable(path: "/tmp/f", version, none), .adoptable(path: "/tmp/f", file: "/tmp/g", version, []),
        ]
    }()

    @Test("without any bytes, nothing is compared: the file is requested from its start", arguments: withoutBytes)
    func nothing(found: Located) throws {
        var driver = try MachineDriver(connections: .fixed(2))
        driver.give(.begin)
        driver.give(.located(found))
        let plan = try #require(driver.running.first)
        #expect(!plan.isProof && plan.position == 0 && driver.running.count == 1)
        let effects = driver.give(head(plan, etag: "\"v2\""))
        #expect(effects.contains { if case .content(.prepare) = $0 { true } else { false } })
    }

    private static let comparisons = [(0, 65_536), (ends[0] - 65_536, ends[0]), (ends[1] - 1000, ends[1])]
        .map { ByteRange(from: $0.0, to: $0.1) }

    private func head(_ plan: FetchPlan, etag: String?) -> MachineEvent {
        .head(
            fetch: plan.id,
            .take(
                ResponseFacts(
                    offset: plan.ask.offset, end: nil, total: 100 << 20, validators: Validators(etag: etag),
                    servesRanges: true)))
    }

    @Test("without strong validators, the ends of every stretch are compared with one source before all is kept")
    func allStretches() throws {
        var driver = try unidentified()
        var compared: [ByteRange] = []
        var effects: [MachineEffect] = []
        while let plan = driver.running.first, plan.isProof, compared.count < 9 {
            let range = ByteRange(from: plan.ask.offset, to: try #require(plan.ask.end))
            compared.append(range)
            driver.give(head(plan, etag: nil))
            effects = driver.give(.ended(fetch: plan.id, position: range.upperBound, .complete))
        }
        #expect(compared.sorted { $0.lowerBound < $1.lowerBound } == Self.comparisons)
        guard case .content(.resume(let version, let map, _))? = effects.first else { return #expect(Bool(false)) }
        #expect(version.provenance == .compared && map.written == Self.ends[0] + 1000)
    }

    @Test("a main source that fails leaves the comparison to a mirror, whose validators the journal gets")
    func mirrorProves() throws {
        var driver = try unidentified()
        let first = try #require(driver.running.first)
        #expect(first.url.description == "http://host/file")
        driver.give(.head(fetch: first.id, .busy(status: 503, retryAfter: nil)))
        driver.give(.ended(fetch: first.id, position: first.position, .rejected))
        var effects: [MachineEffect] = []
        for _ in Self.comparisons {
            let plan = try #require(driver.running.first)
            #expect(plan.isProof && plan.url.description == "http://other/file")
            driver.give(head(plan, etag: "\"mirror\""))
            effects = driver.give(.ended(fetch: plan.id, position: try #require(plan.ask.end), .complete))
        }
        guard case .content(.resume(let version, let map, _))? = effects.first else { return #expect(Bool(false)) }
        #expect(version.validators == Validators(etag: "\"mirror\"") && map.written == Self.ends[0] + 1000)
        #expect(version.describer == .mirror(try SourceURL(parsing: "http://other/file")))
    }

    @Test(
        "other bytes or another weak tag at the main source are another version: all starts again",
        arguments: [true, false])
    func otherVersion(byTag: Bool) throws {
        var driver = try unidentified(Validators(etag: "W/\"v1\""))
        let plan = try #require(driver.running.first)
        driver.give(head(plan, etag: byTag ? "W/\"v2\"" : "W/\"v1\""))
        if driver.running.contains(where: { $0.id == plan.id }) {
            driver.give(.ended(fetch: plan.id, position: plan.position, byTag ? .cancelled : .differs))
        }
        #expect(driver.events.contains(.notice(.sourceChanged)))
        #expect(driver.running.first?.ask.offset == 0 && driver.running.first?.isProof == false)
    }

    @Test(
        "a source without ranges can't compare them: a mirror does, or the whole file is requested",
        arguments: [true, false])
    func noRanges(hasMirror: Bool) throws {
        var driver = try unidentified(hasMirror: hasMirror)
        let plan = try #require(driver.running.first)
        let facts = ResponseFacts(offset: 0, end: nil, total: 100 << 20)
        driver.give(.head(fetch: plan.id, .whole(facts, agreement: .unknown)))
        let effects = driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
        if !hasMirror {
            guard case .content(.resume(_, let map, _))? = effects.first else { return #expect(Bool(false)) }
            #expect(map.segments.map(\.position) == [Self.ends[0]])
            driver.give(.reopened)
        }
        let next = try #require(driver.running.first)
        #expect(
            next.comparesWhole == !hasMirror && next.isProof == hasMirror
                && (next.url.description == "http://other/file") == hasMirror)
    }

    @Test("while the main source has not confirmed its version in this run, no mirror continues the bytes")
    func unconfirmed() throws {
        var (driver, _) = try resume { $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] }
        let date = "Sat, 07 Nov 2026 10:00:00 GMT"
        let facts = ResponseFacts(
            offset: 0, end: nil, total: 100 << 20, validators: Validators(etag: "\"v2\"", lastModified: date))
        for _ in 0..<12 where !driver.events.contains(.notice(.sourceChanged)) {
            #expect(driver.running.allSatisfy { $0.source == 0 })
            let plan = try #require(driver.running.first)
            driver.give(.head(fetch: plan.id, .otherVersion(facts)))
            driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
            driver.pass(.seconds(1))
        }
        #expect(driver.events.contains(.notice(.sourceChanged)))
        #expect(driver.running.map(\.ask.offset) == [0] && driver.running[0].source == 0)
    }

    private static let date = "Sat, 07 Nov 2026 10:00:00 GMT"

    /// Resumes bytes of the main source with this date, lets its first response be 503, and gives the mirror's response with another
    /// tag.
    private func resumeWithoutMain(
        date: String? = date, from describer: Describer = .main, mirrorDate: String?
    ) throws -> MachineDriver {
        var driver = try MachineDriver(connections: .fixed(2)) {
            $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")]
        }
        driver.give(.begin)
        var version = KnownVersion(total: 100 << 20, validators: Validators(etag: "\"v1\"", lastModified: date))
        version.provenance = .compared
        version.describer = describer
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 10 << 20)])))
        driver.give(.reopened)
        let first = try #require(driver.running.first)
        driver.give(.head(fetch: first.id, .busy(status: 503, retryAfter: nil)))
        driver.give(.ended(fetch: first.id, position: first.position, .rejected))
        let plan = try #require(driver.running.first)
        #expect(plan.isProof && plan.source != first.source)
        let facts = ResponseFacts(
            offset: plan.ask.offset, end: nil, total: 100 << 20,
            validators: Validators(etag: "\"other\"", lastModified: mirrorDate), servesRanges: true)
        let effects = driver.give(.head(fetch: plan.id, .take(facts)))
        if effects.contains(.network(.cancel(plan.id))) {
            driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled))
        }
        return driver
    }

    @Test("a mirror of unknown version waits until the main source has confirmed its own", arguments: [true, false])
    func confirmation(hasDate: Bool) throws {
        var driver = try resumeWithoutMain(mirrorDate: hasDate ? "Sun, 08 Nov 2026 10:00:00 GMT" : nil)
        #expect(driver.running.isEmpty && driver.waits.count == 1)
        driver.pass(.seconds(3))
        let again = try #require(driver.running.first)
        #expect(again.source == .main && again.ask.ifRangeHeader == "\"v1\"")
        let validators = Validators(etag: "\"v1\"", lastModified: Self.date)
        driver.give(
            .head(
                fetch: again.id,
                .take(
                    ResponseFacts(
                        offset: again.ask.offset, end: nil, total: 100 << 20, validators: validators, servesRanges: true
                    ))))
        #expect(driver.machine.sources.usable.count == 2)
    }

    @Test("a mirror with the date of the main source continues its bytes")
    func sameDate() throws {
        let driver = try resumeWithoutMain(mirrorDate: Self.date)
        let plan = try #require(driver.running.first)
        #expect(plan.isProof && plan.source.index == 1)
    }

    @Test("if the main source is gone, a mirror of unknown version starts again")
    func gone() throws {
        var driver = try resumeWithoutMain(mirrorDate: nil)
        driver.pass(.seconds(3))
        let again = try #require(driver.running.first)
        driver.give(.head(fetch: again.id, .denied(status: 404)))
        driver.give(.ended(fetch: again.id, position: again.position, .rejected))
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
        let plan = try #require(driver.running.first)
        #expect(plan.source.index == 1 && plan.ask.offset == 0 && plan.segment == nil && !plan.isProof)
        #expect(driver.machine.result == nil)
    }

    @Test("the mirror that described the bytes is asked first, and restarts them itself if it has changed")
    func mirrorDescribed() throws {
        var driver = try MachineDriver { $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] }
        driver.give(.begin)
        var version = KnownVersion(total: 100 << 20, validators: Validators(etag: "\"v1\""))
        version.provenance = .compared
        version.describer = .mirror(try SourceURL(parsing: "http://other/file"))
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 10 << 20)])))
        driver.give(.reopened)
        let plan = try #require(driver.running.first)
        #expect(plan.source.index == 1 && plan.ask.ifRangeHeader == "\"v1\"" && driver.running.count == 1)
        driver.give(.ended(fetch: plan.id, position: plan.position, .differs))
        #expect(driver.events.contains(.notice(.sourceChanged)))
        #expect(driver.running.map(\.ask.offset) == [0])
    }

    @Test("the mirror that described the bytes decides, also after the main source has proved to have the same")
    func mirrorChanges() throws {
        var driver = try MachineDriver(connections: .fixed(2)) {
            $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")]
        }
        driver.give(.begin)
        var version = KnownVersion(total: 100 << 20, validators: Validators(etag: "\"m0\""))
        version.describer = .mirror(try SourceURL(parsing: "http://other/file"))
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 10 << 20)])))
        driver.give(.reopened)
        let first = try #require(driver.running.first)
        driver.give(head(first, etag: "\"m0\""))
        let comparison = try #require(driver.running.first { $0.source == .main })
        #expect(comparison.isProof)
        driver.give(head(comparison, etag: "\"a\""))
        driver.give(.ended(fetch: comparison.id, position: try #require(comparison.end), .complete))
        #expect(driver.running.contains { $0.source == .main && !$0.isProof })
        driver.give(.ended(fetch: first.id, position: first.position, .differs))
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
        #expect(driver.events.contains(.notice(.sourceChanged)))
        #expect(driver.running.map(\.ask.offset) == [0] && driver.running[0].source == .main)
    }

    @Test("bytes that a former mirror described are started again by a main source with another date")
    func formerMirror() throws {
        var driver = try MachineDriver { $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] }
        driver.give(.begin)
        var version = KnownVersion(
            total: 100 << 20, validators: Validators(etag: "\"v1\"", lastModified: Self.date, dateIsStrong: true))
        version.provenance = .compared
        version.describer = .unknown
        driver.give(.located(.resumable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 10 << 20)])))
        for _ in 0..<2 {
            let plan = try #require(driver.running.first)
            #expect(plan.isProof)
            driver.give(head(plan, etag: "\"other\""))
            driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled))
        }
        #expect(driver.running.map(\.ask.offset) == [0] && driver.running[0].isProof == false)
    }

    @Test("a lone source whose bytes match only in samples starts again once after a wrong checksum")
    func sampledMismatch() throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        var driver = try MachineDriver { $0.checksum = checksum }
        driver.give(.begin)
        let version = KnownVersion(total: 100_000, validators: Validators(etag: "\"v1\""))
        driver.give(.located(.provable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 99_999)])))
        while let plan = driver.running.first, plan.isProof {
            let facts = ResponseFacts(
                offset: plan.ask.offset, end: nil, total: 100_000, validators: Validators(etag: "\"v2\""),
                servesRanges: true)
            driver.give(.head(fetch: plan.id, .take(facts)))
            driver.give(.ended(fetch: plan.id, position: try #require(plan.ask.end), .complete))
        }
        driver.give(.reopened)
        driver.complete(try #require(driver.running.first))
        driver.give(.verified(hex: "22"))
        #expect(driver.running.map(\.ask.offset) == [0] && driver.machine.result == nil)
        #expect(driver.machine.resumedBytes == 0)
    }

    /// It would otherwise stay there until somebody removes it, because each run would get the same response.
    @Test("a partial file with a wrong checksum is replaced by a response without size and ETag")
    func wrongAndUnannounced() throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        var driver = try MachineDriver { $0.checksum = checksum }
        driver.resume(total: 100_000)
        while let plan = driver.running.first { driver.complete(plan) }
        driver.give(.verified(hex: "22"))
        let plan = try #require(driver.running.first)
        let facts = ResponseFacts(offset: 0, end: nil, total: nil, validators: Validators(), servesRanges: false)
        driver.give(.head(fetch: plan.id, .take(facts)))
        #expect(plan.ask.offset == 0 && driver.machine.result == nil)
    }

    @Test(
        "of another source, it is never given up, whatever becomes of the sources",
        arguments: [true, false], [true, false])
    func neverGivenUp(hasDigest: Bool, lacksRanges: Bool) throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        var driver = try MachineDriver {
            $0.mirrors = [DownloadSpec.Mirror(url: "http://other/file")]
            $0.checksum = hasDigest ? checksum : nil
        }
        driver.give(.begin)
        let version = KnownVersion(total: 100 << 20, validators: Validators(etag: "\"v1\""))
        driver.give(.located(.provable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 10 << 20)])))
        var effects: [MachineEffect] = []
        for _ in 0..<20 where driver.machine.result == nil {
            guard let plan = driver.running.first else {
                driver.pass(.seconds(60))
                continue
            }
            #expect(plan.isProof)
            if plan.source == .main {
                let whole = ResponseFacts(offset: 0, end: nil, total: 100 << 20)
                driver.give(
                    .head(
                        fetch: plan.id,
                        lacksRanges ? .whole(whole, agreement: .unknown) : .busy(status: 503, retryAfter: nil)))
            } else {
                driver.give(.head(fetch: plan.id, .denied(status: 404)))
            }
            effects += driver.give(.ended(fetch: plan.id, position: plan.position, .rejected))
            if case .closing = driver.machine.phase { effects += driver.give(.closed) }
        }
        #expect(driver.failure != nil && effects.contains(.content(.save)))
    }

    @Test("of another source, it is left alone without a digest")
    func unprovenOfOther() throws {
        var driver = try MachineDriver()
        driver.give(.begin)
        var version = KnownVersion(total: 1000, validators: Validators(etag: "\"v1\""))
        version.provenance = .unproven
        driver.give(.located(.provable(path: "/tmp/f", version, [Located.Piece(start: 0, position: 500)])))
        #expect(driver.running.isEmpty)
        guard case .closing(.failed(let error)) = driver.machine.phase else { return #expect(Bool(false)) }
        #expect(error == DownloadMachine.lacksDigestOfOther)
    }

    @Test(
        "the journal says from the first answer on what the bytes will be worth", arguments: [true, false],
        [true, false])
    func recorded(isVouched: Bool, isMixed: Bool) throws {
        for etag in ["\"v1\"", nil] {
            let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
            var driver = try MachineDriver { spec in
                if isMixed { spec.mirrors = [DownloadSpec.Mirror(url: "http://other/file")] }
                spec.checksum = isVouched ? checksum : nil
            }
            driver.give(.begin)
            driver.give(.located(.fresh(path: "/tmp/f")))
            let facts = ResponseFacts(
                offset: 0, end: 1000, total: 1000, validators: Validators(etag: etag), servesRanges: true)
            let effects = driver.give(.head(fetch: driver.running[0].id, .take(facts)))
            guard case .content(.prepare(let reported))? = effects.last else {
                return #expect(Bool(false), "\(effects)")
            }
            let isUnproven = isVouched && (isMixed || etag == nil)
            #expect(reported.provenance == (isUnproven ? .unproven : isMixed ? .compared : .oneSource))
        }
    }
}
