import HaulCore
import HaulTestData
import Testing

struct SchedulerTests {
    @Test func anEntryTakesThirtyTwoBytes() {
        #expect(MemoryLayout<QueueEntry>.stride == 32)
    }

    @Test(arguments: [(QueueOrder.fifo, [1, 2, 3]), (.lifo, [3, 2, 1])])
    func startsInTheOrderOfTheList(order: QueueOrder, expected: [Int64]) {
        var scheduler = Scheduler(SchedulerConfiguration(limit: 3, order: order))
        for id in [2, 1, 3] as [Int64] { scheduler.add(QueueEntry(id)) }
        #expect(startAll(&scheduler) == expected)
    }

    @Test(arguments: QueueOrder.allCases)
    func whatARelaunchInterruptedGoesBeforeItsPriorityOnly(order: QueueOrder) {
        var scheduler = Scheduler(SchedulerConfiguration(limit: nil, order: order))
        for id in 1...3 as ClosedRange<Int64> { scheduler.add(QueueEntry(id)) }
        var urgent = QueueEntry(4)
        urgent.priority = 1
        scheduler.add(urgent)
        var interrupted = QueueEntry(2)
        interrupted.goesFirst = true
        scheduler.add(interrupted)
        #expect(startAll(&scheduler) == (order == .fifo ? [4, 2, 1, 3] : [4, 2, 3, 1]))
    }

    @Test func extremeNumbersKeepTheirOrder() {
        let positions: [Int64] = [.min, -1, 0, 1, .max]
        var scheduler = Scheduler(SchedulerConfiguration(limit: nil))
        for priority in [Int16.min, 0, .max] {
            for position in positions {
                let id = Int64(priority) * 10 + (position.signum() * 2) + (position.magnitude == 1 ? -position : 0)
                var entry = QueueEntry(id, position: position)
                entry.priority = priority
                scheduler.add(entry)
            }
        }
        let ids = [Int64(Int16.max), 0, Int64(Int16.min)].flatMap { priority in
            [-2, -1, 0, 1, 2].map { priority * 10 + $0 }
        }
        var falling = scheduler
        falling.configure(SchedulerConfiguration(limit: nil, order: .lifo))
        #expect(startAll(&scheduler) == ids)
        #expect(
            startAll(&falling) == stride(from: 0, to: 15, by: 5).flatMap { ids[$0..<($0 + 5)].reversed() })
    }

    /// The limits hold at every start, and each download gets its turn once, whatever the limits are.
    @Test(arguments: [1, 2, 5, nil], [1, 2, nil]) func eachStartsOnceAndNoLimitIsPassed(limit: Int?, hostLimit: Int?) {
        var random = SeededGenerator(seed: 7)
        var scheduler = Scheduler(SchedulerConfiguration(limit: limit, order: .lifo, hostLimit: hostLimit))
        let entries = (1...300 as ClosedRange<Int64>).map { id in
            var entry = QueueEntry(id, position: .random(in: 0...1000, using: &random))
            entry.host = .random(in: 0...3, using: &random)
            return entry
        }
        for entry in entries { scheduler.add(entry) }
        var (started, running): ([DownloadID], [QueueEntry]) = ([], [])
        while !running.isEmpty || scheduler.waitingCount > 0 {
            while let entry = scheduler.next(now: 1) {
                running.append(entry)
                started.append(entry.id)
            }
            #expect(running.count <= limit ?? .max)
            let fullest = Dictionary(grouping: running, by: \.host).values.map(\.count).max() ?? 0
            #expect(fullest <= hostLimit ?? .max)
            guard let index = running.indices.randomElement(using: &random) else {
                Issue.record("\(scheduler.waitingCount) downloads are starved")
                return
            }
            scheduler.ended(running.remove(at: index).id)
        }
        #expect(started.sorted() == entries.map(\.id))
    }

    /// Far more than a chunk holds, so that lanes are split.
    @Test(arguments: QueueOrder.allCases, [nil, 1_000_000]) func manyStartInOrder(order: QueueOrder, hostLimit: Int?) {
        var random = SeededGenerator(seed: 11)
        var model = QueueModel()
        model.configuration = SchedulerConfiguration(limit: nil, order: order, hostLimit: hostLimit)
        var scheduler = Scheduler(model.configuration)
        let entries = (1...3000 as ClosedRange<Int64>).map { id in
            QueueEntry(
                id: DownloadID(rawValue: id), position: .random(in: 0...2000, using: &random),
                priority: .random(in: 0...2, using: &random), host: .random(in: 0...20, using: &random),
                goesFirst: Bool.random(using: &random))
        }
        for entry in entries { scheduler.add(entry) }
        model.fill(entries)
        #expect(startAll(&scheduler) == model.line.map(\.id.rawValue))
    }
}

/// Starts all that may start now.
func startAll(_ scheduler: inout Scheduler, now: Int64 = 1) -> [Int64] {
    var started: [Int64] = []
    while let entry = scheduler.next(now: now) { started.append(entry.id.rawValue) }
    return started
}

/// Starts the next that may start now: its number.
func startNext(_ scheduler: inout Scheduler, now: Int64 = 1) -> Int64? {
    scheduler.next(now: now)?.id.rawValue
}
