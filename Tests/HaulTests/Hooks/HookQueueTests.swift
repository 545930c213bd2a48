import Haul
import Testing

@Suite struct HookQueueTests {
    /// What can be done to a queue.
    private enum Step: CaseIterable {
        case add, take, end, close
    }

    /// Every sequence of six steps, beside a model that only counts.
    @Test(arguments: 1...3)
    func keepsOrderAndLosesNothing(limit: Int) throws {
        let steps = Step.allCases
        for code in 0..<(1 << 12) {
            var queue = HookQueue<Int>(limit: limit)
            var added = 0
            var taken: [Int] = []
            var dropped: [Int] = []
            for index in 0..<6 {
                let wasRunning = queue.isRunning
                let before = queue.waiting
                switch steps[(code >> (2 * index)) & 3] {
                case .add:
                    let out = queue.add(added)
                    let isDue = queue.isClosed ? added : before.count == limit ? before[0] : nil
                    try #require(out == isDue)
                    out.map { dropped.append($0) }
                    added += 1
                case .take:
                    let job = queue.take()
                    try #require(job == (wasRunning ? nil : before.first))
                    job.map { taken.append($0) }
                    try #require(queue.isRunning == (wasRunning || job != nil))
                case .end:
                    queue.end()
                    try #require(!queue.isRunning)
                case .close:
                    dropped += queue.close()
                    try #require(queue.isClosed && queue.waiting.isEmpty)
                }
                try #require(queue.waiting.count <= limit)
                try #require(queue.isIdle == (queue.waiting.isEmpty && !queue.isRunning))
                try #require(taken == taken.sorted() && queue.waiting == queue.waiting.sorted())
                try #require((taken + dropped + queue.waiting).sorted() == Array(0..<added))
            }
        }
    }

    @Test func aLimitOfNothingIsOne() {
        var queue = HookQueue<Int>(limit: 0)
        #expect(queue.add(1) == nil)
        #expect(queue.add(2) == 1)
        #expect(queue.waiting == [2])
    }
}
