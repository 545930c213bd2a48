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
}
