import HaulCore
import HaulTestData
import Testing

struct SortedChunksTests {
    @Test func anEmptySetHasNothing() {
        let set = SortedChunks<Int>()
        #expect(set.isEmpty && set.first == nil && set.last == nil && set.first(atOrAbove: 0) == nil)
        #expect(Array(set).isEmpty)
    }

    /// All sequences of five inserts and removals over four values, each step against a sorted array.
    @Test(arguments: [2, 3]) func agreesWithASortedArrayInAllShortSequences(chunkSize: Int) {
        var steps = 0
        func go(_ set: SortedChunks<Int>, _ model: [Int], left: Int) -> Bool {
            guard left > 0 else { return true }
            for value in 0..<4 {
                var (grown, shrunk) = (set, set)
                let has = model.contains(value)
                guard grown.insert(value) == !has, shrunk.remove(value) == has else { return false }
                let more = has ? model : (model + [value]).sorted()
                let less = model.filter { $0 != value }
                guard agree(grown, more), agree(shrunk, less) else { return false }
                steps += 2
                guard go(grown, more, left: left - 1), go(shrunk, less, left: left - 1) else { return false }
            }
            return true
        }
        #expect(go(SortedChunks(chunkSize: chunkSize), [], left: 5))
        #expect(steps == 8 + 64 + 512 + 4096 + 32768)
    }

    /// Splits need more elements than the short sequences have: all orders of six, in the smallest chunks.
    @Test(arguments: [2, 3, 4]) func agreesWithASortedArrayInAllOrdersOfSix(chunkSize: Int) {
        for order in permutations(of: Array(0..<6)) {
            var set = SortedChunks<Int>(chunkSize: chunkSize)
            for (index, value) in order.enumerated() {
                set.insert(value)
                guard agree(set, order[...index].sorted()) else {
                    Issue.record("inserting \(order), \(index)")
                    return
                }
            }
            for (index, value) in order.enumerated().reversed() {
                set.remove(value)
                guard agree(set, order[..<index].sorted()) else {
                    Issue.record("removing \(order), \(index)")
                    return
                }
            }
        }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func agreesWithASetOverThousandsOfSteps(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var set = SortedChunks<Int>(chunkSize: [2, 5, 64, 512][Int(seed) - 1])
        var model = Set<Int>()
        for step in 0..<8000 {
            let value = Int.random(in: 0..<3000, using: &random)
            // First mostly inserts, later mostly removals.
            if Int.random(in: 0..<8000, using: &random) > step {
                let isNew = set.insert(value)
                #expect(isNew == !model.contains(value))
                model.insert(value)
            } else {
                let wasThere = set.remove(value)
                #expect(wasThere == model.contains(value))
                model.remove(value)
            }
        }
        #expect(Array(set) == model.sorted())
        #expect(set.count == model.count)
    }

    @Test func holdsManyInRisingAndFallingOrder() {
        var (rising, falling) = (SortedChunks<Int>(), SortedChunks<Int>())
        for value in 0..<5000 {
            rising.insert(value)
            falling.insert(4999 - value)
        }
        #expect(Array(rising) == Array(0..<5000))
        #expect(Array(falling) == Array(0..<5000))
    }

    private func agree(_ set: SortedChunks<Int>, _ model: [Int]) -> Bool {
        guard Array(set) == model, set.count == model.count, set.isEmpty == model.isEmpty else { return false }
        guard set.first == model.first, set.last == model.last else { return false }
        return (-1...6).allSatisfy { value in
            set.contains(value) == model.contains(value)
                && set.first(atOrAbove: value) == model.first { $0 >= value }
        }
    }

    private func permutations(of values: [Int]) -> [[Int]] {
        guard values.count > 1 else { return [values] }
        return values.flatMap { first in
            permutations(of: values.filter { $0 != first }).map { [first] + $0 }
        }
    }
}
