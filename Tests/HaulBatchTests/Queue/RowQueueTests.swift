import HaulBatch
import Testing

@Suite struct RowQueueTests {
    @Test func `hosts take turns, each within its limit`() {
        var queue = RowQueue<Int>()
        for number in 0..<6 { queue.add(number, host: number < 4 ? "a" : "b", limit: 2) }
        var taken: [Int] = []
        while let next = queue.next() { taken.append(next.item) }
        #expect(taken == [0, 4, 1, 5])
        #expect(queue.count == 2 && queue.running == 4)
        queue.end(host: "b")
        #expect(queue.next() == nil)
        queue.end(host: "a")
        #expect(queue.next()?.item == 2)
        #expect(queue.next() == nil)
    }

    @Test(arguments: 1...4, 1...4)
    func `every row starts once, and never too many of a host`(limit: Int, hosts: Int) {
        var queue = RowQueue<Int>()
        var (running, seen): ([String: Int], [Int]) = ([:], [])
        var active: [String] = []
        var (added, state) = (0, UInt64(limit * 8 + hosts))
        while seen.count < 3000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            switch (state >> 33) % 3 {
            case 0 where added < 3000:
                queue.add(added, host: "h\(added % hosts)", limit: limit)
                added += 1
            case 1:
                guard let next = queue.next() else { continue }
                seen.append(next.item)
                active.append(next.host)
                running[next.host, default: 0] += 1
                #expect(running[next.host, default: 0] <= limit)
            case _:
                guard !active.isEmpty else { continue }
                let host = active.remove(at: Int((state >> 40) % UInt64(active.count)))
                running[host, default: 0] -= 1
                queue.end(host: host)
            }
            #expect(queue.running == active.count)
        }
        #expect(seen.sorted() == Array(0..<3000))
        // Rows of one host keep their order.
        for host in 0..<hosts {
            #expect(seen.filter { $0 % hosts == host } == seen.filter { $0 % hosts == host }.sorted())
        }
    }

    @Test func `the end of an unknown host means nothing`() {
        var queue = RowQueue<Int>()
        queue.end(host: "x")
        #expect(queue.running == 0 && !queue.hasNext)
    }

    @Test func `a host that asks for a pause starts nothing until its end, and the same rows first`() {
        var queue = RowQueue<Int>()
        for number in 0..<4 { queue.add(number, host: "a", limit: 2) }
        queue.add(9, host: "b", limit: 2)
        #expect(queue.next()?.item == 0)
        // "a" is listed again, and its pause begins after that.
        queue.putBack(0, host: "a", until: .seconds(10))
        #expect(queue.count == 5 && queue.running == 0)
        #expect(queue.next()?.item == 9)
        #expect(queue.next() == nil)
        #expect(queue.endPauses(now: .seconds(9)) == .seconds(10))
        #expect(queue.next() == nil)
        #expect(queue.endPauses(now: .seconds(10)) == nil)
        #expect(queue.next()?.item == 0)
        #expect(queue.next()?.item == 1)
        // A second pause while one is in progress: the later end counts.
        queue.putBack(0, host: "a", until: .seconds(30))
        queue.putBack(1, host: "a", until: .seconds(20))
        #expect(queue.endPauses(now: .seconds(20)) == .seconds(30))
        queue.endPauses(now: .seconds(30))
        var rest: [Int] = []
        while let next = queue.next() {
            rest.append(next.item)
            queue.end(host: next.host)
        }
        #expect(rest.sorted() == [0, 1, 2, 3] && queue.count == 0)
    }
}
