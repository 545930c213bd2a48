import HaulCore
import HaulOptions
import Testing

@testable import HaulCLI

@Suite struct RangeArgumentTests {
    @Test(
        arguments: [
            ("0-0", 0, 1), ("0-999", 0, 1000), ("1000-", 1000, .max), ("5-9223372036854775806", 5, .max),
        ] as [(String, Int64, Int64)])
    func rangesAreRead(text: String, lower: Int64, upper: Int64) throws {
        #expect(try RangeArgument(parsing: text).range == ByteRange(lower, upper))
    }

    @Test(arguments: [
        "", "-", "5", "-5", "5-4", "1-2-3", "a-b", "0x1-2", "+1-2", " 1-2", "1-2 ", "1..2", "0-9223372036854775807",
        "9223372036854775808-",
    ])
    func othersAreRefused(text: String) {
        let error = #expect(throws: DownloadError.self) { try RangeArgument(parsing: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasPrefix("invalid range \"\(text)\"") == true)
    }
}
