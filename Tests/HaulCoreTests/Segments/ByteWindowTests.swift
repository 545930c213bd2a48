import HaulCore
import Testing

@Suite("The window of a stream")
struct ByteWindowTests {
    @Test("bytes written in any order are handed out in order, once each", arguments: 0..<24)
    func anyOrder(permutation: Int) throws {
        var pieces = (0..<4).map { ByteRange(from: Int64($0) * 3, to: Int64($0) * 3 + 3) }
        var window = ByteWindow(size: 12)
        var number = permutation
        var taken: Int64 = 0
        while !pieces.isEmpty {
            let piece = pieces.remove(at: number % pieces.count)
            number /= pieces.count + 1
            window.didWrite(piece)
            while let range = window.handOut(atMost: 2) {
                #expect(range.lowerBound == taken)
                taken = range.upperBound
            }
            // Nothing beyond the first piece that is missing.
            #expect(taken == pieces.map(\.lowerBound).min() ?? 12)
        }
        #expect(window.released == 12)
    }

    @Test("the receiver is done with bytes when it asks for the next ones")
    func release() {
        var window = ByteWindow(size: 10)
        window.didWrite(ByteRange(from: 0, to: 10))
        #expect(window.room(at: 10) == 0)
        #expect(window.handOut(atMost: 4) == ByteRange(from: 0, to: 4))
        #expect(window.released == 0 && window.room(at: 10) == 0)
        #expect(window.handOut(atMost: 100) == ByteRange(from: 4, to: 10))
        #expect(window.released == 4 && window.room(at: 10) == 4)
        #expect(window.handOut(atMost: 100) == nil)
        #expect(window.released == 10 && window.room(at: 12) == 8)
    }

    @Test("ranges that overlap, repeat or lie behind the front change nothing that was handed out")
    func overlaps() {
        var window = ByteWindow(size: 100)
        for (start, end) in [(10, 20), (30, 40), (15, 35), (0, 5), (2, 12), (0, 3)] as [(Int64, Int64)] {
            window.didWrite(ByteRange(from: start, to: end))
        }
        #expect(window.contiguousPrefix == 40)
        #expect(window.handOut(atMost: .max) == ByteRange(from: 0, to: 40))
    }

    @Test("offsets at the end of all numbers do not trap")
    func extremes() {
        var window = ByteWindow(size: .max)
        window.didWrite(ByteRange(from: 0, to: .max))
        #expect(window.handOut(atMost: .max)?.upperBound == .max)
        #expect(window.handOut(atMost: 1) == nil)
        #expect(window.room(at: .max) == 0 && window.room(at: 0) == .max && window.room(at: -1) == .max)
    }
}
