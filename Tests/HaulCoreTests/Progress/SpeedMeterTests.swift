import HaulCore
import Testing

@Suite("Speed")
struct SpeedMeterTests {
    @Test("a steady rate is shown from the second sample on")
    func steady() {
        var meter = SpeedMeter()
        #expect(meter.speed == 0)
        for tick in 0...50 {
            meter.add(Int64(tick) * 100_000, at: .milliseconds(tick * 100))
            if tick > 0 { #expect(abs(meter.speed - 1_000_000) < 1) }
        }
    }

    @Test("it forgets: after ten seconds of silence next to nothing is left")
    func forgets() {
        var meter = SpeedMeter()
        for tick in 0...50 { meter.add(Int64(tick) * 100_000, at: .milliseconds(tick * 100)) }
        for tick in 51...150 { meter.add(5_000_000, at: .milliseconds(tick * 100)) }
        #expect(meter.speed < 20_000)
    }

    @Test("equal times and counts that fall are harmless")
    func odd() {
        var meter = SpeedMeter()
        meter.add(100, at: .seconds(1))
        meter.add(200, at: .seconds(1))
        #expect(meter.speed == 0)
        meter.add(50, at: .seconds(2))
        #expect(meter.speed == 0)
    }
}

@Suite("TimeLeft: two units at most")
struct TimeLeftTests {
    @Test(
        "as it is read",
        arguments: [
            (nil, "--"), (.nan, "--"), (.infinity, "--"), (-.infinity, "--"), (-1, "--"), (0, "0s"), (-0.0, "0s"),
            (0.001, "1s"), (5, "5s"),
            (5.2, "6s"), (59, "59s"), (59.1, "1m00s"), (65, "1m05s"), (3599, "59m59s"), (3599.5, "1h00m"),
            (7380, "2h03m"), (7439, "2h03m"),
            (86_399, "23h59m"), (86_400, "1d00h"), (273_600, "3d04h"), (8_639_999, "99d23h"), (8_639_999.5, ">99d"),
            (8_640_000, ">99d"),
            (1e300, ">99d"), (.greatestFiniteMagnitude, ">99d"), (.leastNonzeroMagnitude, "1s"),
        ] as [(Double?, String)])
    func string(seconds: Double?, expected: String) {
        #expect(TimeLeft.string(seconds) == expected)
    }

    @Test("what is shown is the time, down to its smaller unit")
    func everySecond() {
        for seconds in 0..<200_000 {
            let text = TimeLeft.string(Double(seconds))
            let parts = text.split { "smhd".contains($0) }.compactMap { Int($0) }
            let units = text.compactMap { ["s": 1, "m": 60, "h": 3600, "d": 86_400][$0] }
            let shown = zip(parts, units).reduce(0) { $0 + $1.0 * $1.1 }
            let isRight = shown <= seconds && seconds - shown < (units.last ?? 0) && text.count <= 6
            if !isRight { Issue.record("\(seconds) became \(text)") }
        }
    }
}
