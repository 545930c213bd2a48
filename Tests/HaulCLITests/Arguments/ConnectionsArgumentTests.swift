import HaulCore
import HaulOptions
import Testing

@testable import HaulCLI

@Suite struct ConnectionsArgumentTests {
    @Test(arguments: 1...64) func numbersAreFixed(count: Int) throws {
        #expect(try ConnectionsArgument(parsing: String(count)).limit == .fixed(count))
    }

    @Test func autoIsSixAtMost() throws {
        #expect(try ConnectionsArgument(parsing: "auto").limit == .automatic(limit: 6))
    }

    @Test(arguments: ["", "0", "65", "-1", "+3", " 3", "3 ", "1.5", "Auto", "٣", "99999999999999999999999"])
    func anythingElseIsRefusedByName(text: String) {
        let error = #expect(throws: DownloadError.self) { try ConnectionsArgument(parsing: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message == "invalid value \"\(text)\": expected a number from 1 to 64, or auto")
    }
}
