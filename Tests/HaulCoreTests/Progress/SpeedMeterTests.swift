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
