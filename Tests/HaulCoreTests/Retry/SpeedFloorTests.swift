import Testing

@testable import HaulCore

@Suite("The lowest speed") struct SpeedFloorTests {
    /// Observes ten times a second, with this number of bytes each, until there is a finding; when, and which.
    private func finding(
        _ floor: inout SpeedFloor, bytesPerTick: Int64, from start: Duration = .zero, already: Int64 = 0,
        for limit: Duration = .seconds(100), isReceiving: (Duration) -> Bool = { _ in true }
    ) -> (Duration, SpeedFloor.Finding)? {
        var (now, bytes) = (start, already)
        while now - start < limit {
            let finding = floor.observe(bytes, isReceiving: isReceiving(now), now: now)
            if finding != .unknown { return (now - start, finding) }
            now += .milliseconds(100)
            bytes += bytesPerTick
        }
        return nil
    }

    @Test(
        "judged as soon as the time is over, not before",
        arguments: [(99, true), (100, false), (1000, false), (0, true)])
    func judged(bytesPerTick: Int64, isSlow: Bool) throws {
        var floor = SpeedFloor(MinimumSpeed(bytesPerSecond: 1000, seconds: 10))
        let (time, finding) = try #require(finding(&floor, bytesPerTick: bytesPerTick))
        #expect(time >= .seconds(10) && time <= .milliseconds(10_500))
        #expect(finding == (isSlow ? .slow : .fast))
    }

    @Test("a fast beginning does not hide what follows")
    func slides() throws {
        var floor = SpeedFloor(MinimumSpeed(bytesPerSecond: 1000, seconds: 10))
        #expect(try #require(finding(&floor, bytesPerTick: 10_000)).1 == .fast)
        var (now, findings) = (Duration.milliseconds(10_400), [SpeedFloor.Finding]())
        while findings.last != .slow, now < .seconds(60) {
            findings.append(floor.observe(1_000_000, isReceiving: true, now: now))
            now += .milliseconds(100)
        }
        #expect(findings.last == .slow && now <= .seconds(22))
    }

    @Test("while nothing is received, or Haul holds it back, the time does not count")
    func pauses() {
        var floor = SpeedFloor(MinimumSpeed(bytesPerSecond: 1000, seconds: 10))
        #expect(finding(&floor, bytesPerTick: 0, isReceiving: { $0.components.seconds % 9 != 0 }) == nil)
        #expect(finding(&floor, bytesPerTick: 0, isReceiving: { _ in false }) == nil)
    }
}
