import HaulCore
import HaulOptions
import Testing

@testable import HaulCLI

@Suite struct WholeNumberTests {
    @Test(arguments: [("0", 0), ("007", 7), ("9223372036854775807", Int.max)])
    func digitsAreRead(text: String, number: Int) {
        #expect(WholeNumber.parse(text) == number)
    }

    @Test(arguments: ["", "-0", "+1", "1e3", "0x10", "９", "9223372036854775808"])
    func nothingElseIs(text: String) {
        #expect(WholeNumber.parse(text) == nil)
    }

    @Test func theRangeIsNamed() throws {
        #expect(try WholeNumber.parse("5", in: 5...9) == 5)
        #expect(try WholeNumber.parse("9", in: 5...9) == 9)
        for text in ["4", "10", "x"] {
            let error = #expect(throws: DownloadError.self) { try WholeNumber.parse(text, in: 5...9) }
            #expect(error?.message == "invalid value \"\(text)\": expected a number from 5 to 9")
        }
    }
}
