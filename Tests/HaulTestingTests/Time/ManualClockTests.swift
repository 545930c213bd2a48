import Foundation
import HaulLibC
import HaulTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ManualClockTests {
    @Test func advances() {
        let clock = ManualClock()
        clock.advance(by: .seconds(2))
        clock.advance(by: .milliseconds(1))
        #expect(clock.now == ManualClock.Instant(.milliseconds(2001)))
        #expect(ManualClock.Instant(.zero).duration(to: clock.now) == .milliseconds(2001))
    }

    @Test func theDateMovesWithTheClock() {
        let clock = ManualClock(date: Date(timeIntervalSince1970: 1000))
        clock.advance(by: .milliseconds(2500))
        #expect(clock.date == Date(timeIntervalSince1970: 1002.5))
        #expect(clock.source.milliseconds() == 1_002_500)
        #expect(clock.source.timeOfDay() == (instant: 1002, utcOffset: 0))
    }

    @Test func sleepsOfItsSourceEndWithTheClock() async throws {
        let clock = ManualClock()
        let (source, start) = (clock.source, clock.source.now)
        let sleep = Task { try await source.sleep(until: start + .seconds(3)) }
        await clock.sleepers(atLeast: 1)
        clock.advance(by: .seconds(3))
        try await sleep.value
        #expect(source.now - start == .seconds(3))
    }

    @Test func aPastDeadlineReturnsAtOnce() async throws {
        let clock = ManualClock()
        try await clock.sleep(until: clock.now)
        #expect(clock.sleeperCount == 0)
    }

    @Test func wakesOnlyThoseWhoseTimeHasCome() async throws {
        let clock = ManualClock()
        let first = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 1)
        let second = Task { try await clock.sleep(for: .seconds(2)) }
        await clock.sleepers(atLeast: 2)
        #expect(clock.nextDeadline == ManualClock.Instant(.seconds(1)))
        clock.advance(by: .milliseconds(999))
        #expect(clock.sleeperCount == 2)
        clock.advance(by: .milliseconds(1))
        #expect(clock.sleeperCount == 1)
        try await first.value
        clock.advance(by: .seconds(1))
        try await second.value
        #expect(clock.nextDeadline == nil)
    }

    @Test func cancellationEndsAWaitForSleepers() async {
        let clock = ManualClock()
        // The group ends only if the wait does, whether it is cancelled before or after it has begun.
        await withTaskGroup { tasks in
            tasks.addTask { await clock.sleepers(atLeast: 1) }
            tasks.cancelAll()
        }
    }

    @Test func cancellationEndsASleep() async {
        let clock = ManualClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        await clock.sleepers(atLeast: 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func aCancelledTaskDoesNotBeginToSleep() async {
        let clock = ManualClock()
        let task = Task {
            // The task is cancelled by itself, and not kept.
            unsafe withUnsafeCurrentTask { task in unsafe task?.cancel() }
            try await clock.sleep(for: .seconds(1))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(clock.sleeperCount == 0)
    }
}
