import Testing

@testable import HaulCore

@Suite("What an earlier run left of several sources")
struct MixedPartialTests {
    /// Where its two stretches end, the second one 1000 bytes behind its start.
    static let ends: [Int64] = [10 << 20, (50 << 20) + 1000]

    private func resume(_ change: (inout DownloadSpec) -> Void = { _ in }) throws -> (MachineDriver, [MachineEffect]) {
        var driver = try MachineDriver(connections: .fixed(2), change)
        driver.give(.begin)
        var version = KnownVersion(total: 100 << 20, validators: Validators(etag: "\"v1\""))
        version.isOfSeveralSources = true
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
        guard case .resumeContent(let version, _)? = effects.first else { return #expect(Bool(false)) }
        #expect(version.isOfSeveralSources)
        let plan = driver.running[0]
        driver.give(.ended(fetch: plan.id, position: plan.position, .differs))
        for plan in driver.running { driver.give(.ended(fetch: plan.id, position: plan.position, .cancelled)) }
        #expect(driver.events.contains(.notice(.sourceChanged)))
    }

    @Test("is not where a checksum says at the end whether all is right")
    func vouchedFor() throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        let (driver, _) = try resume { $0.checksum = checksum }
        #expect(driver.running.first?.position == Self.ends[0])
        #expect(driver.running.count == 2 && driver.running.allSatisfy { $0.ask.offset == $0.position })
    }

    @Test(
        "of one source of which only a date is known is compared, too: a copy may keep its date",
        arguments: [true, false])
    func onlyADate(hasTag: Bool) throws {
        var driver = try MachineDriver(connections: .fixed(2))
        driver.give(.begin)
        let validators = Validators(
            etag: hasTag ? "\"v1\"" : "W/\"v1\"", lastModified: "Sat, 07 Nov 2026 10:00:00 GMT", dateIsStrong: true)
        let pieces = [Located.Piece(start: 0, position: 10 << 20), .init(start: 50 << 20, position: (50 << 20) + 1000)]
        driver.give(
            .located(.resumable(path: "/tmp/f", KnownVersion(total: 100 << 20, validators: validators), pieces)))
        driver.give(.reopened)
        #expect(driver.running.map { $0.position - $0.ask.offset } == (hasTag ? [0, 0] : [65_536, 1000]))
        #expect(driver.running.allSatisfy { $0.ask.ifRangeHeader != nil })
    }

    @Test(
        "the journal says so from the first answer on where several sources are known, unless a digest vouches for them"
    )
    func recorded() throws {
        for (isVouched, isMixed) in [(false, true), (true, false)] {
            let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
            var driver = try MachineDriver { spec in
                spec.mirrors = [DownloadSpec.Mirror(url: "http://other/file")]
                spec.checksum = isVouched ? checksum : nil
            }
            driver.give(.begin)
            driver.give(.located(.fresh(path: "/tmp/f")))
            let facts = ResponseFacts(offset: 0, end: 1000, total: 1000, servesRanges: true)
            let effects = driver.give(.head(fetch: driver.running[0].id, .take(facts)))
            guard case .prepare(let told)? = effects.last else { return #expect(Bool(false), "\(effects)") }
            #expect(told.isOfSeveralSources == isMixed)
        }
    }
}
