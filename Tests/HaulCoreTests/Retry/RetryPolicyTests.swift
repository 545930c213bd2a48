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
}
