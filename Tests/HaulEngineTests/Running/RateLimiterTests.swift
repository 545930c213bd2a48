import Haul
import HaulCore
import HaulLibC
import Synchronization
import Testing

@testable import HaulEngine

@Suite("A limit that is changed while it holds")
struct RateLimiterTests {
    @Test(
        "reads are about a twentieth of a second long, within bounds",
        arguments: [
            (nil, Int.max), (1, 4096), (100_000, 5000), (1_000_000, 50_000), (50_000_000, 1 << 20),
        ] as [(Int64?, Int)])
    func reads(rate: Int64?, bytes: Int) {
        #expect(RateLimiter(bytesPerSecond: rate).largestRead == bytes)
        let limiter = RateLimiter(bytesPerSecond: 7)
        limiter.set(bytesPerSecond: rate)
        #expect(limiter.largestRead == bytes)
    }

    @Test("without a limit, or lifted by its schedule, nothing is held back")
    func free() throws {
        let limiter = RateLimiter(bytesPerSecond: nil)
        #expect(limiter.take(1 << 30) == nil)
        limiter.set(try RateSchedule(parsing: "0:00-24:00 unlimited, else 1"))
        #expect(limiter.take(1 << 30) == nil && limiter.largestRead == .max)
    }

    @Test("the limit of the hour holds, and a later limit takes its place")
    func hours() throws {
        let schedule = try RateSchedule(parsing: "10:00-11:00 1M, else 2M")
        for (hour, offset, rate) in [(10, 0, 1 << 20), (9, 3600, 1 << 20), (10, 3600, 2 << 20)] as [(Int64, Int, Int64)]
        {
            let limiter = RateLimiter(bytesPerSecond: nil) { (hour * 3600 + 60, offset) }
            limiter.set(schedule)
            #expect(limiter.largestRead == Int(rate / 20))
            let mark = try #require(limiter.take(Int(rate) * 100))
            #expect(limiter.delay(until: mark) > .seconds(90) && limiter.delay(until: mark) <= .seconds(100))
            limiter.set(bytesPerSecond: nil)
            #expect(limiter.delay(until: mark) == .zero && limiter.largestRead == .max)
        }
    }

    @Test("this machine's time zone is one", .enabled(if: WallClock.timeOfDay().instant > 0))
    func zone() { #expect(abs(WallClock.timeOfDay().utcOffset) <= 26 * 3600) }
}
