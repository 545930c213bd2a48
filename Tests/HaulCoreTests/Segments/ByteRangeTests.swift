import Foundation
import HaulCore
import Testing

@Suite("Ranges of bytes")
struct ByteRangeTests {
    @Test(
        "bounds that are out of order or negative make an empty range", arguments: [(10, 5), (-1, 5), (-5, -9), (3, 3)])
    func empty(lower: Int64, upper: Int64) throws {
        #expect(ByteRange(lower, upper).isEmpty && ByteRange(lower, upper).count == 0)
        let json = Data(#"{"lowerBound": \#(lower), "upperBound": \#(upper)}"#.utf8)
        #expect(try JSONDecoder().decode(ByteRange.self, from: json) == ByteRange(lower, upper))
    }

    @Test("a range is read back as it was written")
    func coded() throws {
        let range = ByteRange(3, 9)
        #expect(try JSONDecoder().decode(ByteRange.self, from: JSONEncoder().encode(range)) == range)
        #expect(range.count == 6 && !range.isEmpty)
    }

    @Test("a spec with bounds out of order, or a negative rate limit, is refused by name")
    func spec() {
        var spec = DownloadSpec(url: "http://h/f", destination: .file(path: "/f"))
        spec.range = ByteRange(10, 5)
        var error = #expect(throws: DownloadError.self) { try MachineConfiguration(spec) }
        #expect(error?.code == .invalidRequest && error?.message.contains("range") == true)
        (spec.range, spec.rateLimit) = (nil, -7)
        error = #expect(throws: DownloadError.self) { try MachineConfiguration(spec) }
        #expect(error?.code == .invalidRequest && error?.message.contains("rateLimit") == true)
        spec.rateLimit = 0
        #expect(throws: Never.self) { try MachineConfiguration(spec) }
    }
}
