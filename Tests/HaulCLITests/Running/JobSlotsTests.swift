import Haul
import Synchronization
import Testing

@testable import HaulCLI

private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)

    var isSet: Bool { value.load(ordering: .relaxed) }

    func set() { value.store(true, ordering: .relaxed) }
}

@Suite("The slots of haul get") struct JobSlotsTests {
    @Test("a slot that is given away goes to the worker that waits; who returns comes before the next") func order()
        async
    {
        let slots = JobSlots(1)
        let first = slots.slot(of: 1)
        await slots.acquire()
        #expect(first.reclaim())
        #expect(first.park() && !first.park())
        await slots.acquire()
        #expect(!first.reclaim() && !first.reclaim())
        slots.leave(2)
        // It is kept for the first one: a worker that comes now waits.
        let begun = Flag()
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await slots.acquire()
                begun.set()
            }
            for _ in 0..<20 { await Task.yield() }
            #expect(!begun.isSet)
            #expect(first.reclaim())
            slots.leave(1)
        }
        #expect(begun.isSet)
        slots.leave(3)
    }

    @Test("one that ends while it is parked leaves no slot behind, one that has regained its own leaves that")
    func endings() async {
        let slots = JobSlots(1)
        await slots.acquire()
        #expect(slots.slot(of: 1).park())
        slots.leave(1)
        await slots.acquire()
        #expect(slots.slot(of: 2).park())
        await slots.acquire()
        #expect(!slots.slot(of: 2).reclaim())
        slots.leave(3)
        slots.leave(2)
        await slots.acquire()
        slots.leave(4)
    }

    @Test("a worker is asked for only if there are too few, and only so many downloads park") func workers() async {
        let needed = Mutex(0)
        let slots = JobSlots(2) { needed.withLock { $0 += 1 } }
        var parked = 0
        for job in 0..<40 {
            await slots.acquire()
            guard slots.slot(of: job).park() else { break }
            parked += 1
        }
        #expect(parked == 16 && needed.withLock { $0 } == 16)
        // All of those are parked again with the workers that there are.
        for job in 0..<16 {
            while !slots.slot(of: job).reclaim() { slots.leave(100 + job) }
            #expect(slots.slot(of: job).park())
        }
        #expect(needed.withLock { $0 } == 16)
        for _ in 0..<17 { #expect(!slots.endWorker()) }
        #expect(slots.endWorker())
    }

    @Test("another worker is asked for while one waits for the turn of its download") func turns() async {
        let needed = Mutex(0)
        let slots = JobSlots(2) { needed.withLock { $0 += 1 } }
        await slots.awaitTurn {
            #expect(needed.withLock { $0 } == 1)
            await slots.awaitTurn { #expect(needed.withLock { $0 } == 2) }
        }
        // There are enough by now.
        await slots.awaitTurn { #expect(needed.withLock { $0 } == 2) }
        for _ in 0..<3 { #expect(!slots.endWorker()) }
        #expect(slots.endWorker())
    }
}
