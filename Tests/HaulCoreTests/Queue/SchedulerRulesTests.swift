import HaulCore
import Testing

struct SchedulerRulesTests {
    private func scheduler(_ configuration: SchedulerConfiguration, waiting: Int64) -> Scheduler {
        var scheduler = Scheduler(configuration)
        for id in 0..<waiting { scheduler.add(QueueEntry(id + 1)) }
        return scheduler
    }

    private func id(_ number: Int64) -> DownloadID { DownloadID(rawValue: number) }

    @Test func aHigherLimitLetsMoreStartAndALowerOneStopsNone() {
        var scheduler = scheduler(SchedulerConfiguration(limit: 1), waiting: 5)
        #expect(startAll(&scheduler) == [1])
        scheduler.configure(SchedulerConfiguration(limit: 3))
        #expect(startAll(&scheduler) == [2, 3])
        scheduler.configure(SchedulerConfiguration(limit: 1))
        #expect(scheduler.runningCount == 3)
        #expect(scheduler.reason(id(4), now: 1) == .turn(limit: 1))
        scheduler.ended(id(1))
        scheduler.ended(id(2))
        #expect(startAll(&scheduler) == [])
        scheduler.ended(id(3))
        #expect(startAll(&scheduler) == [4])
        scheduler.configure(SchedulerConfiguration(limit: nil))
        #expect(startAll(&scheduler) == [5])
    }

    @Test func theOrderTurnsRoundWhileDownloadsWait() {
        var scheduler = scheduler(SchedulerConfiguration(limit: 1), waiting: 4)
        #expect(startAll(&scheduler) == [1])
        scheduler.configure(SchedulerConfiguration(limit: 2, order: .lifo))
        #expect(startAll(&scheduler) == [4])
        scheduler.configure(SchedulerConfiguration(limit: nil, order: .fifo))
        #expect(startAll(&scheduler) == [2, 3])
    }

    @Test func aLimitForHostsThatComesCountsWhatRuns() {
        var scheduler = scheduler(SchedulerConfiguration(limit: 2), waiting: 4)
        var other = QueueEntry(5)
        other.host = 1
        scheduler.add(other)
        #expect(startAll(&scheduler) == [1, 2])
        scheduler.configure(SchedulerConfiguration(limit: nil, hostLimit: 2))
        #expect(startAll(&scheduler) == [5])
        #expect(scheduler.reason(id(3), now: 1) == .host(0, limit: 2))
        scheduler.configure(SchedulerConfiguration(limit: nil, hostLimit: 3))
        #expect(startAll(&scheduler) == [3])
        scheduler.configure(SchedulerConfiguration(limit: nil, hostLimit: 1))
        scheduler.ended(id(1))
        #expect(startAll(&scheduler) == [])
        scheduler.configure(SchedulerConfiguration(limit: nil))
        #expect(startAll(&scheduler) == [4])
    }

    @Test func startNowGoesBeyondBothLimitsAndCountsTowardsNeither() {
        var scheduler = scheduler(SchedulerConfiguration(limit: 1, hostLimit: 1), waiting: 4)
        #expect(startAll(&scheduler) == [1])
        var now = QueueEntry(3)
        now.ignoresLimits = true
        scheduler.add(now)
        #expect(scheduler.reason(id(3), now: 1) == .start)
        #expect(startAll(&scheduler) == [3])
        #expect(scheduler.runningCount == 2)
        scheduler.ended(id(1))
        #expect(startAll(&scheduler) == [2])
        scheduler.ended(id(3))
        #expect(startAll(&scheduler) == [])
    }

    @Test func aBatchThatIgnoresTheLimitStartsAsAWhole() {
        var scheduler = Scheduler(SchedulerConfiguration(limit: 0, order: .lifo))
        for number in 1...50 as ClosedRange<Int64> {
            var entry = QueueEntry(number)
            entry.ignoresLimits = true
            scheduler.add(entry)
        }
        #expect(startAll(&scheduler) == (1...50).reversed())
    }

    @Test func wakesForTheEarliestTimeAndStartsWhatIsDue() {
        var scheduler = scheduler(SchedulerConfiguration(limit: nil), waiting: 3)
        for (number, time) in [(1, 300), (2, 100), (3, 200)] as [(Int64, Int64)] {
            var entry = QueueEntry(number)
            entry.notBefore = time
            scheduler.add(entry)
        }
        #expect(startAll(&scheduler, now: 99) == [])
        #expect(scheduler.reason(id(2), now: 99) == .notBefore(100))
        #expect(scheduler.nextWake(now: 99) == 100)
        #expect(scheduler.due(after: 99, until: 200) == [id(2), id(3)])
        #expect(scheduler.due(after: 100, until: 299) == [id(3)])
        #expect(scheduler.due(after: 300, until: .max) == [] && scheduler.due(after: 300, until: 100) == [])
        #expect(startAll(&scheduler, now: 100) == [2])
        #expect(scheduler.nextWake(now: 100) == 200)
        #expect(startAll(&scheduler, now: 300) == [1, 3])
        #expect(scheduler.nextWake(now: 300) == nil)
    }

    @Test(arguments: [Int64.min, -1, 0, 1, Int64.max]) func extremeTimesAreTimes(now: Int64) {
        for time in [Int64.min, -1, 0, 1, Int64.max] {
            var scheduler = Scheduler()
            var entry = QueueEntry(1)
            entry.notBefore = time
            scheduler.add(entry)
            let isDue = time <= 0 || time <= now
            #expect(scheduler.reason(id(1), now: now) == (isDue ? .start : .notBefore(time)))
            #expect(scheduler.nextWake(now: now) == (isDue ? nil : time))
            #expect((startNext(&scheduler, now: now) != nil) == isDue)
        }
    }

    @Test func aClockThatIsSetBackHoldsBackWhatIsNoLongerDue() {
        var scheduler = Scheduler(SchedulerConfiguration(limit: 0))
        var entry = QueueEntry(1)
        entry.notBefore = 100
        scheduler.add(entry)
        #expect(startNext(&scheduler, now: 150) == nil)
        scheduler.configure(SchedulerConfiguration(limit: 1))
        #expect(startNext(&scheduler, now: 50) == nil)
        #expect(scheduler.nextWake(now: 50) == 100)
        #expect(startNext(&scheduler, now: 100) == 1)
    }

    @Test func movingADownloadThatWaitsChangesItsTurn() {
        var scheduler = scheduler(SchedulerConfiguration(limit: nil), waiting: 3)
        scheduler.add(QueueEntry(3, position: 0))
        #expect(scheduler.waitingCount == 3)
        #expect(startAll(&scheduler) == [3, 1, 2])
    }

    @Test func whatRunsIsNeitherAddedNorRemoved() {
        var scheduler = scheduler(SchedulerConfiguration(), waiting: 1)
        #expect(startAll(&scheduler) == [1])
        let isAdded = scheduler.add(QueueEntry(1, position: 9))
        let removed = scheduler.remove(id(1))
        #expect(!isAdded && removed == nil)
        #expect(scheduler.entry(id(1)) == QueueEntry(1))
        #expect(scheduler.reason(id(1), now: 1) == .notWaiting)
        scheduler.ended(id(1))
        scheduler.ended(id(1))
        #expect(scheduler.runningCount == 0 && scheduler.entry(id(1)) == nil)
    }

    @Test func oneThatParksLetsTheNextStartAndComesBackBeforeTheRest() {
        var scheduler = scheduler(SchedulerConfiguration(limit: 1), waiting: 4)
        #expect(startAll(&scheduler) == [1])
        scheduler.park(id(1))
        #expect(startAll(&scheduler) == [2])
        #expect(scheduler.runningCount == 2 && scheduler.isRunning(id(1)))
        scheduler.wantsBack(id(1))
        scheduler.wantsBack(id(1))
        #expect(scheduler.nextBack() == nil)
        scheduler.ended(id(2))
        #expect(scheduler.nextBack() == id(1))
        #expect(scheduler.nextBack() == nil)
        #expect(startAll(&scheduler) == [])
        scheduler.ended(id(1))
        #expect(startAll(&scheduler) == [3])
        // One that ends while it is parked frees its slot once, not twice.
        scheduler.park(id(3))
        scheduler.wantsBack(id(3))
        #expect(startAll(&scheduler) == [4])
        scheduler.ended(id(3))
        #expect(scheduler.nextBack() == nil && scheduler.runningCount == 1)
        scheduler.add(QueueEntry(5))
        #expect(startAll(&scheduler) == [])
        scheduler.ended(id(4))
        #expect(startAll(&scheduler) == [5])
    }

    @Test func oneThatNeverParkedOrIgnoresTheLimitContinuesAtOnce() {
        var scheduler = scheduler(SchedulerConfiguration(limit: 1), waiting: 1)
        var exempt = QueueEntry(2)
        exempt.ignoresLimits = true
        scheduler.add(exempt)
        #expect(startAll(&scheduler) == [2, 1])
        scheduler.park(id(2))
        scheduler.wantsBack(id(2))
        scheduler.wantsBack(id(1))
        #expect(scheduler.nextBack() == id(2))
        #expect(scheduler.nextBack() == id(1))
        scheduler.wantsBack(id(9))
        #expect(scheduler.nextBack() == nil)
    }

    @Test func oneThatParksKeepsItsPlaceAtItsHost() {
        var scheduler = scheduler(SchedulerConfiguration(limit: 2, hostLimit: 1), waiting: 2)
        var other = QueueEntry(3)
        other.host = 1
        scheduler.add(other)
        #expect(startAll(&scheduler) == [1, 3])
        scheduler.park(id(1))
        #expect(startAll(&scheduler) == [])
        #expect(scheduler.reason(id(2), now: 1) == .host(0, limit: 1))
    }

    @Test func onlySoManyPark() {
        let maximum = Int64(Scheduler.parkedLimit)
        var scheduler = scheduler(SchedulerConfiguration(limit: 1), waiting: maximum + 5)
        for number in 1...(maximum + 1) {
            #expect(startAll(&scheduler) == [number])
            scheduler.park(id(number))
        }
        #expect(startAll(&scheduler) == [])
    }
}
