import HaulCore
import Testing

struct ActivitySignalTests {
    @Test func turnsOnAfterASecondAndOffAfterItsDelay() {
        var signal = ActivitySignal()
        #expect(!update(&signal, running: 2, now: .seconds(5)))
        #expect(signal.nextChange(now: .seconds(5)) == .seconds(6))
        #expect(!update(&signal, running: 1, now: .milliseconds(5_999)))
        #expect(update(&signal, running: 1, now: .seconds(6)))
        #expect(signal.nextChange(now: .seconds(6)) == nil)
        #expect(update(&signal, running: 0, now: .seconds(7)))
        #expect(signal.nextChange(now: .seconds(7)) == .milliseconds(7_170))
        #expect(update(&signal, running: 0, now: .milliseconds(7_169)))
        #expect(!update(&signal, running: 0, now: .milliseconds(7_170)))
        #expect(signal.nextChange(now: .seconds(8)) == nil)
    }

    @Test func aBreakStartsTheSecondAnew() {
        var signal = ActivitySignal()
        _ = signal.update(running: 1, now: .zero)
        _ = signal.update(running: 0, now: .milliseconds(900))
        #expect(signal.nextChange(now: .milliseconds(900)) == nil)
        _ = signal.update(running: 1, now: .milliseconds(901))
        #expect(!update(&signal, running: 1, now: .milliseconds(1_900)))
        #expect(update(&signal, running: 1, now: .milliseconds(1_901)))
    }

    @Test func aShortGapDoesNotShow() {
        var signal = ActivitySignal()
        _ = signal.update(running: 1, now: .zero)
        #expect(update(&signal, running: 0, now: .seconds(2)))
        #expect(update(&signal, running: 1, now: .milliseconds(2_169)))
        #expect(update(&signal, running: 1, now: .seconds(3)))
    }

    @Test func aChangeThatFellDueBetweenTwoCallsHasHappened() {
        var signal = ActivitySignal()
        _ = signal.update(running: 1, now: .zero)
        #expect(signal.nextChange(now: .seconds(4)) == .seconds(4))
        // It turned on at 1 s, though nobody asked then, so the end of the download has its delay.
        #expect(update(&signal, running: 0, now: .seconds(4)))
        #expect(signal.nextChange(now: .seconds(4)) == .milliseconds(4_170))
    }

    /// All histories of eight tenths of a second and more, in steps of 85 ms, against a look at the whole history.
    @Test func agreesWithALookAtTheWholeHistory() {
        let steps = 14
        let step = Duration.milliseconds(85)
        for history in 0..<(1 << steps) {
            var signal = ActivitySignal()
            // Begins on, after twelve steps and more of work, where the first bit says so.
            let isOn = history & 1 == 1
            let busy = [Bool](repeating: isOn, count: 14) + (0..<steps).map { history >> $0 & 1 == 1 }
            var expected = false
            for index in busy.indices {
                let value = signal.update(running: busy[index] ? 1 : 0, now: step * index)
                // 12 steps are 1.02 s, 2 steps are 0.17 s: so long has the count been what it was up to now.
                if index >= 12, busy[(index - 12)..<index].allSatisfy({ $0 }) { expected = true }
                if index >= 2, !busy[index - 2], !busy[index - 1] { expected = false }
                guard value == expected else {
                    Issue.record("history \(busy), step \(index)")
                    return
                }
            }
        }
    }

    /// The macro takes no mutating method.
    private func update(_ signal: inout ActivitySignal, running: Int, now: Duration) -> Bool {
        signal.update(running: running, now: now)
    }
}
