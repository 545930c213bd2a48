import Testing

@testable import HaulCore

@Suite("What comes per second, watched")
struct PaceWindowTests {
    private static let minimum = Duration.milliseconds(150)

    /// The measures, and when they were ready, of bursts of a million bytes, looked at every `tick` milliseconds.
    private static func watch(every period: Int, tick: Int, delay: Int = 0, for length: Int) -> [(
        at: Int, pace: Double
    )] {
        var window = PaceWindow()
        return stride(from: delay, through: length, by: tick).compactMap { time in
            let received = Int64(1 + time / period) * 1_000_000
            return window.add(received, minimum: minimum, now: .milliseconds(time)).map { (time, $0) }
        }
    }

    @Test("A stream is measured in the shortest window")
    func stream() {
        let found = Self.watch(every: 10, tick: 100, for: 1000)
        #expect(found.map(\.at) == [200, 500, 800])
        #expect(found.allSatisfy { abs($0.pace - 100_000_000) < 1 })
    }

    @Test(
        "Bursts are measured over several of them, to a third", arguments: [120, 200, 250, 333, 500, 990], [0, 30, 90])
    func bursts(period: Int, delay: Int) throws {
        let found = Self.watch(every: period, tick: 100, delay: delay, for: 20_000)
        try #require(found.count >= 2)
        let right = 1e9 / Double(period)
        for each in found { #expect(abs(each.pace / right - 1) < 0.34, "\(each)") }
    }

    @Test("Where nothing comes any more, that is found")
    func silence() {
        var window = PaceWindow()
        var found: [Double] = []
        for time in 0..<60 {
            let measure = window.add(Int64(min(time, 4) * 100), minimum: Self.minimum, now: .milliseconds(time * 100))
            if let measure { found.append(measure) }
        }
        #expect(found.count == 2 && found[1] < found[0] / 2)
    }

    @Test("A gap is forgotten after a window without one; what was begun is forgotten when it stops")
    func forgets() {
        var window = PaceWindow()
        // A second of silence, then a stream.
        let ready = stride(from: 0, through: 12_000, by: 100).filter { time in
            let received = Int64((101..<1100).contains(time) ? 100 : time)
            return window.add(received, minimum: Self.minimum, now: .milliseconds(time)) != nil
        }
        #expect(ready.prefix(3) == [4000, 8100, 8400])
        var stopped = PaceWindow()
        #expect(stopped.add(1, minimum: Self.minimum, now: .zero) == nil)
        stopped.stop()
        #expect(stopped.add(5, minimum: Self.minimum, now: .seconds(9)) == nil)
        #expect(stopped.add(25, minimum: Self.minimum, now: .seconds(10)) == 20)
    }
}
