import HaulCore
import Testing

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
