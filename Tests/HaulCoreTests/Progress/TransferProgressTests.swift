import HaulCore
import Testing

@Suite("Progress")
struct TransferProgressTests {
    @Test(
        "a fraction within 0...1, and none where the size is unknown (U12, T21)",
        arguments: [
            (0, nil, nil), (5, nil, nil), (0, 10, 0), (5, 10, 0.5), (10, 10, 1), (11, 10, 1), (-1, 10, 0), (0, 0, 1),
            (Int64.max, Int64.max, 1),
        ] as [(Int64, Int64?, Double?)])
    func fraction(fileBytes: Int64, totalBytes: Int64?, expected: Double?) {
        #expect(TransferProgress(fileBytes: fileBytes, totalBytes: totalBytes).fraction == expected)
    }
}
