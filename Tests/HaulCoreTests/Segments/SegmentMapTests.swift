import HaulCore
import HaulTestData
import Testing

@Suite("Segments tile the file")
struct SegmentMapTests {
    /// Each byte belongs to exactly one segment, and no position lies outside its segment.
    static func check(_ map: SegmentMap, _ location: SourceLocation = #_sourceLocation) {
        #expect(map.segments.first?.start == 0, sourceLocation: location)
        for (index, segment) in map.segments.enumerated() {
            let next = index + 1 < map.segments.count ? map.segments[index + 1].start : map.total
            #expect(map.end(of: segment.id) == next, sourceLocation: location)
            #expect(segment.position >= segment.start, sourceLocation: location)
            if let next { #expect(segment.position <= next, sourceLocation: location) }
        }
        #expect(Set(map.segments.map(\.id)).count == map.segments.count, sourceLocation: location)
    }

    @Test(
        "given back where nothing is written, finished from anywhere: all small sizes, positions and offsets",
        arguments: 1...7)
    func absorbAndFinish(total: Int64) throws {
        for cut in 1..<max(2, total) {
            for (first, second) in (0...8).flatMap({ one in (0...8).map { (Int64(one), Int64($0)) } }) {
                var map = SegmentMap(total: total)
                let new = map.split(0, at: cut)
                map.advance(0, to: min(first, cut))
                if let new { map.advance(new, to: second) }
                let isUntouched = new.flatMap { map.segment($0) }.map { $0.position == $0.start } ?? false
                var joined = map
                #expect((joined.absorb(after: 0) != nil) == isUntouched)
                #expect(
                    joined.written == map.written && joined.segments.count == map.segments.count - (isUntouched ? 1 : 0)
                )
                Self.check(joined)
                for offset in 0...8 as ClosedRange<Int64> {
                    var finished = map
                    let end = try #require(map.end(of: 0))
                    let position = try #require(map.segment(0)?.position)
                    let fits = offset >= position && offset < end
                    #expect(finished.finish(0, from: offset) == fits)
                    #expect(finished.written == map.written + (fits ? end - offset : 0))
                    Self.check(finished)
                }
            }
        }
    }

    @Test("all small sizes, all splits, all positions", arguments: 0...7)
    func exhaustive(total: Int64) {
        for first in 0...8 {
            for written in 0...8 {
                for second in 0...8 {
                    var map = SegmentMap(total: total)
                    map.advance(0, to: Int64(written))
                    let position = min(Int64(written), total)
                    let one = map.split(0, at: Int64(first))
                    #expect((one != nil) == (Int64(first) > position && Int64(first) < total))
                    if let one { _ = map.split(one, at: Int64(second)) }
                    Self.check(map)
                    #expect(map.written == position)
                    let isDone = position == total
                    #expect(map.isComplete == isDone)
                    #expect(map.unfinished.isEmpty == isDone)
                    #expect(map.contiguousPrefix == position)
                }
            }
        }
    }

    @Test("random work ends with every byte written once", arguments: 0..<50)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let total = Int64.random(in: 1...200, using: &generator)
        var map = SegmentMap(total: total)
        var written: Int64 = 0
        for _ in 0..<2_000 where !map.isComplete {
            let segment = map.unfinished.randomElement(using: &generator)!
            let remaining = map.remaining(of: segment.id) ?? 0
            if Bool.random(using: &generator), remaining > 1 {
                _ = map.split(segment.id, at: segment.position + Int64.random(in: 1..<remaining, using: &generator))
            } else {
                let step = Int64.random(in: 1...remaining, using: &generator)
                map.advance(segment.id, to: segment.position + step)
                written += step
            }
            Self.check(map)
        }
        #expect(map.isComplete)
        #expect(written == total)
        #expect(map.written == total)
        #expect(map.contiguousPrefix == total)
    }

    @Test("positions neither go back nor beyond the end")
    func advance() {
        var map = SegmentMap(total: 100)
        let second = map.split(0, at: 50)!
        map.advance(0, to: 70)
        #expect(map.segment(0)?.position == 50)
        map.advance(0, to: 10)
        #expect(map.segment(0)?.position == 50)
        map.advance(second, to: .max)
        #expect(map.isComplete)
        map.advance(99, to: 3)
        Self.check(map)
    }

    @Test("an unknown size is one segment without an end")
    func unknown() {
        var map = SegmentMap(total: nil)
        #expect(map.split(0, at: 10) == nil)
        map.advance(0, to: 123)
        #expect(map.remaining(of: 0) == nil)
        #expect(!map.isComplete)
        #expect(map.contiguousPrefix == 123)
        map.close(at: 123)
        #expect(map.isComplete)
        map.close(at: 500)
        #expect(map.total == 123)
    }

    @Test("an earlier session's pieces are joined, emptied and renumbered")
    func resuming() {
        let map = SegmentMap(total: 100, resuming: [(60, 80), (0, 10), (10, 20), (40, 40), (20, 25)])
        #expect(map.segments.map(\.start) == [0, 60])
        #expect(map.segments.map(\.position) == [25, 80])
        #expect(map.segments.map(\.id) == [0, 1])
        Self.check(map)
    }

    @Test("pieces that make no sense are left out")
    func nonsense() {
        let pieces: [(Int64, Int64)] = [(-5, 3), (0, 200), (50, 40), (10, 30), (20, 40), (.max, .max), (.min, 4)]
        let map = SegmentMap(total: 100, resuming: pieces)
        #expect(map.segments.map(\.start) == [0, 10])
        #expect(map.segments.map(\.position) == [0, 30])
        Self.check(map)
    }

    @Test("any pieces give a map that tiles", arguments: 0..<200)
    func anyPieces(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let pieces = (0..<6).map { _ in
            (Int64.random(in: -3...20, using: &generator), Int64.random(in: -3...20, using: &generator))
        }
        let map = SegmentMap(total: 16, resuming: pieces)
        Self.check(map)
        #expect(map.written <= 16)
    }
}
