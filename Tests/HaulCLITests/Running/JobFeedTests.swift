import HaulCore
import Synchronization
import Testing

@testable import HaulCLI

@Suite struct JobFeedTests {
    private static func item(_ number: Int) -> JobQueue.Item {
        .bad(BadLine(id: number, list: "list", line: number, message: ""))
    }

    private static func number(_ item: JobQueue.Item?) -> Int? {
        if case .bad(let line) = item { line.id } else { nil }
    }

    @Test func oneWorkerGetsAllInOrder() async {
        let feed = JobFeed()
        async let taken = { () async -> [Int] in
            var taken: [Int] = []
            while let next = Self.number(await feed.next()) { taken.append(next) }
            return taken
        }()
        for number in 0..<1000 { await feed.add([Self.item(number)]) }
        feed.end(discarding: false)
        #expect(await taken == Array(0..<1000))
        #expect(!feed.hasDiscarded)
    }

    @Test(arguments: [2, 7, 200]) func severalWorkersGetEachItemOnce(workers: Int) async {
        let feed = JobFeed()
        let taken = Mutex<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<workers {
                group.addTask { @Sendable in
                    while let next = Self.number(await feed.next()) { taken.withLock { $0.append(next) } }
                }
            }
            for number in 0..<1000 { await feed.add([Self.item(number)]) }
            feed.end(discarding: false)
        }
        #expect(taken.withLock { $0.sorted() } == Array(0..<1000))
    }

    /// Whoever waits gets one of a portion each; the others come in their order.
    @Test func aPortionServesAllWhoWait() async {
        let feed = JobFeed()
        let taken = Mutex<[Int]>([])
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask { @Sendable in
                    while let next = Self.number(await feed.next()) { taken.withLock { $0.append(next) } }
                }
            }
            for _ in 0..<50 { await Task.yield() }
            for first in stride(from: 0, to: 960, by: JobFeed.portion) {
                await feed.add((first..<first + JobFeed.portion).map(Self.item))
            }
            feed.end(discarding: false)
        }
        #expect(taken.withLock { $0.sorted() } == Array(0..<960))
    }

    @Test func portionsStayInOrder() async {
        let feed = JobFeed()
        await feed.add((0..<3).map(Self.item))
        await feed.add([])
        await feed.add((3..<5).map(Self.item))
        feed.end(discarding: false)
        var taken: [Int] = []
        while let next = Self.number(await feed.next()) { taken.append(next) }
        #expect(taken == Array(0..<5))
        await feed.add([])
        #expect(!feed.hasDiscarded)
    }

    @Test func theReaderWaitsWhileNobodyTakes() async {
        let feed = JobFeed()
        let added = Mutex(0)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { @Sendable in
                for number in 0..<1000 {
                    await feed.add([Self.item(number)])
                    added.withLock { $0 += 1 }
                }
                feed.end(discarding: false)
            }
            for _ in 0..<100 { await Task.yield() }
            #expect(added.withLock { $0 } <= 64)
            while await feed.next() != nil {}
        }
        #expect(added.withLock { $0 } == 1000)
    }

    @Test func whatIsDiscardedIsKnown() async {
        let feed = JobFeed()
        await feed.add([Self.item(1)])
        feed.end(discarding: true)
        #expect(await feed.next() == nil)
        #expect(feed.hasDiscarded)
    }

    @Test func nothingLeftIsNothingDiscarded() async {
        let feed = JobFeed()
        await feed.add([Self.item(1)])
        #expect(Self.number(await feed.next()) == 1)
        feed.end(discarding: true)
        #expect(!feed.hasDiscarded)
        await feed.add([Self.item(2)])
        #expect(feed.hasDiscarded)
    }

    @Test func theEndWakesWhoWaits() async {
        let feed = JobFeed()
        async let first = feed.next()
        async let second = feed.next()
        for _ in 0..<20 { await Task.yield() }
        feed.end(discarding: false)
        let (one, two) = await (first, second)
        #expect(one == nil && two == nil)
    }
}
