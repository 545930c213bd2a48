import HaulCore
import HaulTestData
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

    /// How many bytes connections take until `end`, each reading again when its delay, looked at every 100 ms, is over.
    private static func bytes(
        _ bucket: inout TokenBucket, from start: Duration, to end: Duration, connections: Int, readBytes: Int,
        set: (Duration, inout TokenBucket) -> Void
    ) -> Int {
        var marks = [Double?](repeating: nil, count: connections)
        var taken = 0
        var now = start
        while now < end {
            set(now, &bucket)
            for index in marks.indices where marks[index].map({ bucket.delay(until: $0, now: now) == .zero }) ?? true {
                taken += readBytes
                marks[index] = bucket.take(readBytes, now: now) > .zero ? bucket.mark : nil
            }
            now += .milliseconds(1)
        }
        return taken
    }

    @Test("a rate that changes every second is right within 3 % over five", arguments: [1, 4], [100, 2_000])
    func changingRates(connections: Int, readBytes: Int) {
        let rates: [Int64] = [400_000, 100_000, 2_000_000, 300_000, 50_000]
        var bucket = TokenBucket(bytesPerSecond: rates[0], now: .zero)
        let taken = Self.bytes(
            &bucket, from: .zero, to: .seconds(5), connections: connections, readBytes: readBytes
        ) { now, bucket in
            guard now.components.attoseconds == 0 else { return }
            bucket.set(bytesPerSecond: rates[Int(now.components.seconds)], now: now)
        }
        // In a loop of a millisecond a connection takes at most one read, so that is the most there is of a fast second.
        let wanted = rates.map { min(Int($0), connections * readBytes * 1000) }.reduce(0, +)
        #expect(abs(Double(taken) / Double(wanted) - 1) < 0.03, "\(taken) of \(wanted)")
    }

    @Test("those who wait feel a change at once: shorter, longer, none, and a limit where there was none")
    func changeWhileWaiting() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        #expect(bucket.take(10_000, now: .zero) == .seconds(10))
        let mark = bucket.mark
        bucket.set(bytesPerSecond: 10_000, now: .seconds(2))
        #expect(bucket.delay(until: mark, now: .seconds(2)) == .milliseconds(800))
        bucket.set(bytesPerSecond: 100, now: .seconds(2))
        #expect(bucket.delay(until: mark, now: .seconds(2)) == .seconds(80))
        #expect(bucket.delay(until: mark, now: .seconds(52)) == .seconds(30))
        bucket.set(bytesPerSecond: nil, now: .seconds(52))
        #expect(bucket.delay(until: mark, now: .seconds(52)) == .zero)
        #expect(bucket.take(1 << 30, now: .seconds(53)) == .zero)
        bucket.set(bytesPerSecond: 1000, now: .seconds(3600))
        #expect(bucket.take(500, now: .seconds(3600)) == .milliseconds(500))
    }

    @Test("a burst saved up at a high rate is not spent at a low one")
    func savedUp() {
        var bucket = TokenBucket(bytesPerSecond: 1_000_000, now: .zero)
        bucket.set(bytesPerSecond: 1000, now: .seconds(10))
        #expect(bucket.take(1100, now: .seconds(10)) == .seconds(1))
    }

    @Test("he who took before others waits only for what was taken up to then")
    func marks() {
        var bucket = TokenBucket(bytesPerSecond: 1000, now: .zero)
        _ = bucket.take(1000, now: .zero)
        let first = bucket.mark
        _ = bucket.take(5000, now: .zero)
        #expect(bucket.delay(until: first, now: .milliseconds(500)) == .milliseconds(500))
        #expect(bucket.delay(until: bucket.mark, now: .milliseconds(500)) == .milliseconds(5500))
    }

    @Test("a clock that goes back, and a rate of nothing, do no harm")
    func odd() {
        var bucket = TokenBucket(bytesPerSecond: 0, now: .seconds(10))
        #expect(bucket.take(1, now: .seconds(5)) > .zero)
    }
}
