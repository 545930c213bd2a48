import Testing

@testable import HaulCore

@Suite struct SeenVersionsTests {
    private static let first = Validators(etag: "\"1\"")
    private static let second = Validators(etag: "\"2\"")

    private static func facts(_ validators: Validators, total: Int64? = nil) -> ResponseFacts {
        ResponseFacts(offset: 0, end: nil, total: total, validators: validators)
    }

    @Test("a response without a size has that of its version; an announced one counts")
    func totals() {
        var seen = SeenVersions()
        seen.add(Self.first, total: 10)
        seen.add(Self.second, total: 20)
        seen.add(Self.first, total: nil)
        #expect(seen.total(of: Self.facts(Self.first)) == 10 && seen.total(of: Self.facts(Self.second)) == 20)
        #expect(seen.total(of: Self.facts(Self.second, total: 5)) == 5)
        #expect(seen.total(of: Self.facts(Validators(etag: "\"3\""))) == nil)
    }

    @Test("a version is as large as the most that was received of it")
    func bytes() {
        var seen = SeenVersions()
        for bytes in [300, 200, 0] as [Int64] {
            seen.addExisting(KnownVersion(total: nil, validators: Self.first), bytes: bytes)
        }
        #expect(seen.leastBytes(of: Self.first) == 300 && seen.leastBytes(of: Self.second) == 0)
    }

    @Test("a size that was announced counts more than that of existing data with the same weak tag")
    func announced() {
        let same = Validators(etag: "W/\"release\"")
        let existing = KnownVersion(total: 10, validators: same)
        var seen = SeenVersions()
        seen.addExisting(existing)
        #expect(seen.total(with: same) == 10)
        seen.add(same, total: 11)
        seen.addExisting(existing, bytes: 8)
        #expect(seen.total(with: same) == 11 && seen.leastBytes(of: same) == 8)
    }

    @Test("a size that a longer response contradicts is unknown, whatever existing data say")
    func outgrown() {
        let same = Validators(etag: "W/\"release\"")
        var seen = SeenVersions()
        seen.add(same, total: 10)
        seen.outgrew(same, 10)
        #expect(seen.total(with: same) == nil && seen.leastBytes(of: same) == 11)
        seen.addExisting(KnownVersion(total: 10, validators: same), bytes: 10)
        #expect(seen.total(with: same) == nil)
        seen.add(same, total: 12)
        #expect(seen.total(with: same) == 12)
    }

    @Test(
        "a file that has become smaller under the same date or weak tag has the announced size; a strong tag contradicts it"
    )
    func shrunk() {
        for (same, total) in [
            (Validators(lastModified: "Sat, 28 Nov 2026 23:53:32 GMT"), 365), (Validators(etag: "W/\"1\""), 365),
            (Self.first, nil),
        ] as [(Validators, Int64?)] {
            let existing = KnownVersion(total: 612, validators: same)
            var seen = SeenVersions()
            seen.addExisting(existing, bytes: 409)
            seen.add(same, total: 365)
            #expect(seen.total(with: same) == total && seen.leastBytes(of: same) == 409)
            guard total != nil else { continue }
            seen.addExisting(existing, bytes: 409)
            #expect(seen.total(with: same) == total)
            seen.outgrew(same, 365)
            #expect(seen.total(with: same) == nil && seen.leastBytes(of: same) == 409)
        }
    }

    @Test("without validators nothing is known, and of many versions only the newest are kept")
    func limits() {
        var seen = SeenVersions()
        seen.addExisting(KnownVersion(total: 10, validators: Validators()), bytes: 10)
        #expect(seen.total(of: Self.facts(Validators())) == nil && seen.leastBytes(of: Validators()) == 0)
        seen.add(Validators(), total: nil)
        #expect(seen.newestTotal == 10)
        for number in 1...100 { seen.add(Validators(etag: "\"\(number)\""), total: Int64(number)) }
        #expect(seen.total(of: Self.facts(Self.first)) == nil)
        #expect(seen.total(of: Self.facts(Validators(etag: "\"100\""))) == 100)
    }
}
