import HaulTestData
import Testing

struct TestBytesTests {
    private let source = TestBytes(seed: 7)

    @Test func everyPartIsAPartOfTheWhole() {
        let whole = source.bytes(0..<12_400)
        let edges: [Int64] = [0, 1, 7, 8, 9, 4095, 4096, 4097, 4103, 4104, 8191, 8192, 12_288, 12_399, 12_400]
        for lower in edges {
            for upper in edges where upper >= lower {
                #expect(source.bytes(lower..<upper) == Array(whole[Int(lower)..<Int(upper)]), "\(lower)..<\(upper)")
            }
        }
    }

    @Test func theSeedDecides() {
        #expect(source.bytes(0..<100) == TestBytes.bytes(seed: 7, range: 0..<100))
        #expect(source.bytes(0..<100) != TestBytes.bytes(seed: 8, range: 0..<100))
    }

    @Test func noTwoPagesAreEqual() {
        let pages = (0..<2000).map { source.bytes(($0 * 4096)..<($0 * 4096 + 16)) }
        #expect(Set(pages).count == 2000)
    }

    @Test(arguments: [1, 8, 4096, 65_536, 1 << 20] as [Int64])
    func aShiftIsSeenAtOnce(_ distance: Int64) {
        for start in stride(from: Int64(0), to: 100_000, by: 1237) {
            #expect(source.bytes(start..<(start + 16)) != source.bytes((start + distance)..<(start + distance + 16)))
        }
    }

    @Test func farOffsetsCostNothing() {
        let far: Int64 = 5 << 40
        #expect(source.bytes((far - 3)..<(far + 3)).count == 6)
        #expect(source.bytes((far - 3)..<(far + 3)).suffix(3) == source.bytes(far..<(far + 3))[...])
    }

    @Test func thereIsNothingBeforeTheBeginning() {
        #expect(source.bytes(-5 ..< -1).isEmpty)
        #expect(source.bytes(-5..<3) == source.bytes(0..<3))
    }
}
