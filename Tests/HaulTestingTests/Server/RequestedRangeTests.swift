import HaulTestData
import Testing

@testable import HaulTesting

struct RequestedRangeTests {
    @Test(
        arguments: [
            ("bytes=0-", [0..<10]), ("bytes=3-", [3..<10]), ("bytes=9-", [9..<10]), ("bytes=10-", []),
            ("bytes=0-0", [0..<1]), ("bytes=2-5", [2..<6]), ("bytes=2-99", [2..<10]), ("bytes=-3", [7..<10]),
            ("bytes=-99", [0..<10]), ("bytes=-0", []), ("BYTES=1-2", [1..<3]), ("bytes=1-2, 4-5", [1..<3, 4..<6]),
            ("bytes=5-2", []), ("bytes=-", []), ("bytes=", []), ("bytes=a-b", []), ("items=0-", []), ("bytes 0-", []),
            ("bytes=0-99999999999999999999", []), ("bytes=+1-2", []), ("bytes=1--2", []),
            ("bytes=9223372036854775807-", []), ("bytes=0-9223372036854775807", [0..<10]),
            ("bytes=-9223372036854775807", [0..<10]),
        ] as [(String, [Range<Int64>])])
    func isReadAndResolved(_ value: String, _ expected: [Range<Int64>]) {
        #expect(RequestedRange.list(value).compactMap { $0.resolved(in: 10) } == expected)
    }

    @Test func nothingIsSatisfiableInAnEmptyFile() {
        for value in ["bytes=0-", "bytes=0-0", "bytes=-1"] {
            #expect(RequestedRange.list(value).first?.resolved(in: 0) == nil)
        }
    }

    @Test func survivesAnyText() {
        var random = SeededGenerator(seed: 3)
        let letters = Array("bytes=0123456789-, \t+*/x\u{0}é")
        for _ in 0..<20_000 {
            let text = String(
                (0..<Int.random(in: 0...24, using: &random)).compactMap { _ in letters.randomElement(using: &random) })
            for range in RequestedRange.list("bytes=" + text) {
                let resolved = range.resolved(in: 1000)
                #expect(resolved.map { $0.lowerBound >= 0 && $0.upperBound <= 1000 && !$0.isEmpty } ?? true)
            }
        }
    }
}
