import Testing

@testable import HaulServer

@Suite("What waits for slow clients stays within a limit")
struct OutboundBufferLimitTests {
    @Test("Within the limit nobody has to go")
    func within() {
        var budget = OutboundBufferLimit<Int>(limit: 100)
        let first = budget.add(60, for: 1)
        #expect(first.isEmpty)
        let second = budget.add(40, for: 2)
        #expect(second.isEmpty)
        #expect(budget.total == 100)
    }

    @Test("Who has been waiting longest goes first, and no more of them than needed")
    func maxFirst() {
        var budget = OutboundBufferLimit<Int>(limit: 100)
        for connection in 1...4 { _ = budget.add(25, for: connection) }
        let ended = budget.add(30, for: 5)
        #expect(ended == [1, 2])
        #expect(budget.total == 80)
    }

    @Test("Who has taken all it was sent and asks again has not been waiting")
    func taken() {
        var budget = OutboundBufferLimit<Int>(limit: 100)
        _ = budget.add(50, for: 1)
        _ = budget.add(50, for: 2)
        let waits = budget.remove(50, of: 1)
        #expect(!waits)
        _ = budget.add(50, for: 1)
        let ended = budget.add(1, for: 3)
        #expect(ended == [2])
    }

    @Test("Who has taken a part of it has been waiting all along")
    func takenInPart() {
        var budget = OutboundBufferLimit<Int>(limit: 100)
        _ = budget.add(50, for: 1)
        _ = budget.add(40, for: 2)
        let waits = budget.remove(10, of: 1)
        #expect(waits)
        let ended = budget.add(21, for: 3)
        #expect(ended == [1])
    }

    @Test("The one that asks is never the one that goes, even where it asks for more than there is")
    func ownResponse() {
        var budget = OutboundBufferLimit<Int>(limit: 100)
        _ = budget.add(90, for: 1)
        let own = budget.add(500, for: 1)
        #expect(own.isEmpty)
        let ended = budget.add(1, for: 2)
        #expect(ended == [1])
        #expect(budget.total == 1)
    }

    @Test("What is told of one that is gone changes nothing")
    func gone() {
        var budget = OutboundBufferLimit<Int>(limit: 100)
        _ = budget.add(100, for: 1)
        let ended = budget.add(10, for: 2)
        #expect(ended == [1])
        let waits = budget.remove(100, of: 1)
        #expect(!waits)
        #expect(budget.total == 10)
        let waitsStill = budget.remove(10, of: 2)
        #expect(!waitsStill)
        #expect(budget.total == 0)
    }

    @Test(
        "Whatever happens, what waits is the sum of what each has, and within the limit but for one answer",
        arguments: 0..<200)
    func invariants(seed: UInt64) {
        var budget = OutboundBufferLimit<Int>(limit: 100)
        var expected: [Int: Int] = [:]
        var random = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        for _ in 0..<200 {
            random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let (connection, bytes) = (Int(random >> 33 % 6), Int(random >> 40 % 50) + 1)
            if random >> 63 == 0 {
                expected[connection, default: 0] += bytes
                for ended in budget.add(bytes, for: connection) { expected[ended] = nil }
                #expect(budget.total <= max(100, expected[connection] ?? 0))
            } else {
                let left = max(0, (expected[connection] ?? 0) - bytes)
                expected[connection] = left > 0 ? left : nil
                let waits = budget.remove(bytes, of: connection)
                #expect(waits == (left > 0))
            }
            #expect(budget.total == expected.values.reduce(0, +))
        }
    }
}
