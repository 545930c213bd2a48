import Testing

@testable import HaulCore

@Suite("The speed of one connection")
struct ConnectionPaceTests {
    private static func watch(period: Int, for length: Int) -> ConnectionPace.Speed? {
        var pace = ConnectionPace()
        for time in stride(from: 0, through: length, by: 100) {
            pace.add(Int64(1 + time / period) * 100_000, now: .milliseconds(time))
        }
        return pace.speed(minimum: .milliseconds(400), now: .milliseconds(length))
    }

    @Test("bursts are measured from one to another, within the error", arguments: [20, 100, 200, 250, 300, 500, 900])
    func bursts(period: Int) throws {
        for length in stride(from: 1000, through: 6000, by: 100) {
            let speed = try #require(Self.watch(period: period, for: length))
            let right = 1e8 / Double(period)
            #expect(speed.low <= right && right <= speed.high, "\(length): \(speed)")
            #expect(abs(speed.value / right - 1) < 0.5, "\(length): \(speed)")
        }
        let error = try #require(Self.watch(period: period, for: 6000)).error
        #expect(error <= 0.25)
    }

    @Test("a short measurement has no result, and one without bytes has 0")
    func short() throws {
        #expect(Self.watch(period: 100, for: 300) == nil)
        var pace = ConnectionPace()
        for time in 0..<20 { pace.add(1000, now: .milliseconds(time * 100)) }
        let silent = try #require(pace.speed(minimum: .milliseconds(400), now: .seconds(2)))
        #expect(silent.value == 0 && silent.error == 1)
    }

    @Test("a connection that falls silent becomes slower")
    func silence() throws {
        var pace = ConnectionPace()
        for time in 0..<10 { pace.add(Int64(time) * 100_000, now: .milliseconds(time * 100)) }
        let speeds = try (10..<60).map { time in
            try #require(pace.speed(minimum: .milliseconds(400), now: .milliseconds(time * 100)))
        }
        #expect(speeds.indices.dropFirst().allSatisfy { speeds[$0].high < speeds[$0 - 1].high })
        #expect(try #require(speeds.last).value <= 200_000)
    }
}
