import HaulCore
import HaulWire
import Testing

@testable import HaulCLI

@Suite("aria2's limits as settings of the daemon")
struct Aria2MountTests {
    @Test("aria2's largest number means no limit, and others are at most the daemon's maximum")
    func patch() {
        let cases: [(Int64, Int?)] = [(7, 7), (10_000, 10_000), (10_001, 10_000), (Int64(Int32.max), nil), (.max, nil)]
        for (given, jobs) in cases {
            var expected = SettingsPatch()
            expected.jobs = SettingsPatch.Change(jobs)
            #expect(Aria2Mount.patch(given, nil) == expected, "\(given)")
        }
        var expected = SettingsPatch()
        expected.rateLimit = SettingsPatch.Change(Int64(0))
        #expect(Aria2Mount.patch(nil, 0) == expected)
        #expect(Aria2Mount.patch(nil, nil) == SettingsPatch())
    }
}
