import HaulCore
import HaulTesting
import Testing

@Suite("Back-off")
struct RetryPolicyTests {
    @Test("waits double up to the cap, with chance in one half of them", arguments: 1...12)
    func growth(attempt: Int) throws {
        let policy = RetryPolicy(limit: 12)
        var generator = SeededGenerator(seed: UInt64(attempt))
        let mean = min(0.5 * Double(1 << (attempt - 1)), 30)
        for _ in 0..<100 {
            let delay = try #require(policy.delay(attempt: attempt, using: &generator)).seconds
            #expect(delay >= mean * 0.5 && delay < mean * 1.5)
        }
    }

    @Test("the limit holds, and no number traps")
    func limit() {
        var generator = SeededGenerator(seed: 1)
        #expect(RetryPolicy(limit: 0).delay(attempt: 1, using: &generator) == nil)
        #expect(RetryPolicy(limit: -3).delay(attempt: 1, using: &generator) == nil)
        #expect(RetryPolicy(limit: 5).delay(attempt: 6, using: &generator) == nil)
        #expect(RetryPolicy(limit: .max).delay(attempt: .max, using: &generator) != nil)
    }

    @Test("a server that nobody has reached has its own limit, never a higher one", arguments: [0, 1, 5])
    func unreachable(limit: Int) {
        var generator = SeededGenerator(seed: 1)
        var policy = RetryPolicy(limit: limit)
        #expect((policy.delay(attempt: 1, isUnreachable: true, using: &generator) == nil) == (limit < 1))
        #expect(policy.delay(attempt: 2, isUnreachable: true, using: &generator) == nil)
        policy.unreachableLimit = nil
        #expect((policy.delay(attempt: 5, isUnreachable: true, using: &generator) == nil) == (limit < 5))
    }

    @Test(
        "progress is 64 KiB or 1 % of the file",
        arguments: [
            (0, nil, false), (0, 0, false), (1, nil, false), (65_535, nil, false), (65_536, nil, true),
            (1, 100, true), (1, 101, false), (1, 1, true), (10, 1000, true), (9, 1000, false),
            (65_535, 6_553_500, true), (65_535, 6_553_501, false), (65_536, .max, true), (.max, .max, true),
            (-1, 100, false),
        ] as [(Int64, Int64?, Bool)])
    func progress(newBytes: Int64, total: Int64?, isProgress: Bool) {
        #expect(RetryPolicy.isProgress(newBytes, of: total) == isProgress)
    }
}
