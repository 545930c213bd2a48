import Haul
import Testing

@testable import HaulEngine

@Suite("Who may write a byte")
struct SegmentCursorTests {
    @Test("given up behind an offset: what is claimed stays, and no byte has two owners", arguments: 0...6, 0...7)
    func yields(claimed: Int, offset: Int) {
        for end in [nil, 0, 3, 6] as [Int64?] {
            let cursor = SegmentCursor(position: 0, end: end)
            let harness = cursor.claim(claimed)
            let granted = cursor.yield(from: Int64(offset))
            #expect(granted == (offset >= harness))
            let rest = Int64(harness + cursor.claim(100))
            let limit = end ?? Int64(harness) + 100
            #expect(rest == (granted ? min(Int64(offset), limit) : limit))
        }
    }

    @Test("giving up twice keeps the lower end", arguments: 0...4, 0...4)
    func twice(first: Int, second: Int) {
        let cursor = SegmentCursor(position: 0, end: 9)
        #expect(cursor.yield(from: Int64(first)) && cursor.yield(from: Int64(second)))
        #expect(cursor.claim(9) == min(first, second))
    }

    @Test("the rest: all that is not claimed, once", arguments: 0...6, [4, 6] as [Int64])
    func rest(claimed: Int, end: Int64) {
        let cursor = SegmentCursor(position: 0, end: 6)
        _ = cursor.claim(claimed)
        let rest = cursor.yieldRest(before: end)
        #expect(rest == (end == 6 && claimed < 6 ? Int64(claimed) : nil))
        #expect(cursor.claim(9) == (rest == nil ? 6 - claimed : 0))
        if rest != nil { #expect(cursor.yieldRest(before: end) == nil) }
    }
}
