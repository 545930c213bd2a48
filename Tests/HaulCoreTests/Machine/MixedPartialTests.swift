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

    @Test("is not where a checksum says at the end whether all is right")
    func vouchedFor() throws {
        let checksum = try Checksum(.md5, hex: String(repeating: "1", count: 32))
        let (driver, _) = try resume { $0.checksum = checksum }
        #expect(driver.running.first?.position == Self.ends[0])
        #expect(driver.running.count == 2 && driver.running.allSatisfy { $0.ask.offset == $0.position })
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
        // One source may still name a digest; several are not waited for.
        #expect(notices.contains(.notice(DownloadMachine.lacksDigest)) == hasMirror)
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
