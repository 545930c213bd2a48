import Foundation
import Testing

@testable import HaulOptions

@Suite("Times without an offset")
struct TimeArgumentTests {
    @Test(
        "are local times",
        arguments: [
            ("2026-11-26", 1_795_647_600), ("2026-11-26T02:00", 1_795_654_800), ("2026-11-26 02:00:30", 1_795_654_830),
        ])
    func local(text: String, seconds: Double) throws {
        let zone = try #require(TimeZone(secondsFromGMT: 3600))
        #expect(OptionForm<Date>.localTime(text, in: zone) == Date(timeIntervalSince1970: seconds))
    }

    @Test(
        "other texts are refused",
        arguments: [
            "", "2026", "2026-11", "2026-13-01", "2026-02-30", "2026-11-26T", "2026-11-26T2", "2026-11-26T24:00",
            "2026-11-26T02:60", "2026-11-26T02:00:61", "02:00", "2026-11-26T02:00+1", "-1-11-26", "99999-11-26",
        ])
    func none(text: String) { #expect(OptionForm<Date>.localTime(text) == nil) }
}
