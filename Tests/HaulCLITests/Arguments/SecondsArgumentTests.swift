import HaulCore
import HaulOptions
import HaulTestData
import Testing

@testable import HaulCLI

@Suite struct SecondsArgumentTests {
    @Test(arguments: [
        ("30", 30_000), ("1", 1000), ("0.5", 500), ("0.05", 50), ("0.001", 1), ("1.250", 1250), ("86400", 86_400_000),
        ("5s", 5000), ("500ms", 500), ("2m", 120_000), ("1.5h", 5_400_000), ("24h", 86_400_000),
    ])
    func secondsAreRead(text: String, milliseconds: Int) throws {
        #expect(try SecondsArgument(parsing: text).duration == .milliseconds(milliseconds))
    }

    @Test(arguments: [
        "", "0", "0.000", ".5", "5.", "-1", "86400.001", "86401", "1.2345", "1e3", "inf", "nan", "1.2.3", "s", "5 s",
        "5d", "25h", "0s", "1.5ms",
        "99999999999999999999",
    ])
    func anythingElseIsRefused(text: String) {
        let error = #expect(throws: DownloadError.self) { try SecondsArgument(parsing: text) }
        #expect(error?.message.hasPrefix("invalid value \"\(text)\": expected a number of seconds") == true)
    }

    @Test func anyTextIsSurvived() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<20_000 {
            let text = random.text(maximum: 12, of: "0123456789..-smh")
            guard let read = try? SecondsArgument(parsing: text) else { continue }
            #expect(read.duration > .zero && read.duration <= .seconds(86_400))
        }
    }
}
