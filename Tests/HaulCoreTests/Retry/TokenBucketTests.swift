import HaulCore
import HaulTesting
import Testing

@Suite("Rate limit")
struct TokenBucketTests {
    @Test(
        "over five seconds the rate is right within 3 %, whatever the sizes", arguments: [1_000, 100_000, 50_000_000],
        1...4)
    func rate(bytesPerSecond: Int64, connections: Int) {
        var generator = SeededGenerator(seed: UInt64(connections))
        var bucket = TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero)
        var ready = [Duration](repeating: .zero, count: connections)
        var taken = 0
        while let next = ready.min(), next < .seconds(5) {
            let index = ready.firstIndex(of: next)!
            let bytes = Int.random(in: 1...Int(max(1, bytesPerSecond / 50)), using: &generator)
            taken += bytes
            ready[index] = next + bucket.take(bytes, now: next) + .microseconds(10)
        }
        #expect(abs(Double(taken) / Double(bytesPerSecond * 5) - 1) < 0.03)
    }

    @Test("a pause saves up no more than a tenth of a second")
    func burst() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.take(100, now: .seconds(3600)) == .zero)
        #expect(bucket.take(1000, now: .seconds(3600)) == .seconds(1))
    }

    @Test("a clock that goes back, and a rate of nothing, do no harm")
    func odd() {
        var bucket = TokenBucket(bytesPerSecond: 0, now: .seconds(10))
        #expect(bucket.take(1, now: .seconds(5)) > .zero)
    }
}
