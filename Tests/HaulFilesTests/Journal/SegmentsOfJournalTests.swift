import HaulCore
import HaulFiles
import Testing

/// From slots to segments that tile the file.
@Suite struct SegmentsOfJournalTests {
    static func expectTiling(_ segments: [ResumedSegment], total: Int64?) {
        #expect(segments.first?.start == 0)
        for (one, next) in zip(segments, segments.dropFirst()) {
            #expect(one.start < next.start)
            #expect(one.position <= next.start)
        }
        for segment in segments { #expect(segment.start <= segment.position && segment.position <= total ?? .max) }
    }

    func segments(_ slots: [JournalSlot], total: Int64? = 1000, _ trust: JournalTrust = .written) -> [ResumedSegment] {
        Journal(header: JournalTests.header(total: total), slots: slots).segments(trust)
    }

    @Test func eachTrustHasItsCounter() {
        let slots = [
            JournalSlot(start: 500, written: 700, durable: 600), JournalSlot(start: 0, written: 90, durable: 80),
        ]
        let written = [ResumedSegment(start: 0, position: 90), ResumedSegment(start: 500, position: 700)]
        let durable = [ResumedSegment(start: 0, position: 80), ResumedSegment(start: 500, position: 600)]
        #expect(segments(slots) == written)
        #expect(segments(slots, .durable) == durable)
    }

    @Test("after an interrupted sync, the parts that are on disk count; those after a gap have slots of their own")
    func settled() throws {
        var header = JournalTests.header()
        header.isSyncing = true
        var journal = Journal(
            header: header,
            slots: [
                JournalSlot(start: 0, written: 400, durable: 100), JournalSlot(start: 500, written: 700, durable: 600),
                JournalSlot(start: 800, written: 900, durable: 900),
                JournalSlot(start: 950, written: 1000, durable: 950),
            ])
        var asked: [ByteRange] = []
        try journal.settle { range in
            asked.append(range)
            return switch range.lowerBound {
            case 100: [ByteRange(100, 150), ByteRange(200, 250), ByteRange(390, 400)]
            case 600: [ByteRange(601, 700)]
            default: []
            }
        }
        #expect(asked == [ByteRange(100, 400), ByteRange(600, 700), ByteRange(950, 1000)])
        #expect(!journal.header.isSyncing)
        let written: [(Int64, Int64)] = [
            (0, 150), (200, 250), (390, 400), (500, 600), (601, 700), (800, 900), (950, 950),
        ]
        #expect(journal.segments(.written) == written.map { ResumedSegment(start: $0.0, position: $0.1) })
        let durable: [(Int64, Int64)] = [
            (0, 100), (200, 200), (390, 390), (500, 600), (601, 601), (800, 900), (950, 950),
        ]
        #expect(journal.segments(.durable) == durable.map { ResumedSegment(start: $0.0, position: $0.1) })
    }

    @Test func withoutAFirstSlotTheFileBeginsWithNothing() {
        let one = [JournalSlot(start: 500, written: 700, durable: 600)]
        #expect(segments(one) == [ResumedSegment(start: 0, position: 0), ResumedSegment(start: 500, position: 700)])
        #expect(segments([]) == [ResumedSegment(start: 0, position: 0)])
    }

    @Test func slotBeyondTheTotalIsLeftOut() {
        let first = JournalSlot(start: 0, written: 10, durable: 10)
        let only = [ResumedSegment(start: 0, position: 10)]
        #expect(segments([first, JournalSlot(start: 900, written: 1001, durable: 900)]) == only)
        #expect(segments([first, JournalSlot(start: 1000, written: 1000, durable: 1000)]) == only)
        #expect(segments([first, JournalSlot(start: 5000, written: 5001, durable: 5000)]) == only)
    }

    @Test func bytesBeyondTheNextStartCountForTheNextOne() {
        let slots = [
            JournalSlot(start: 0, written: 600, durable: 0), JournalSlot(start: 500, written: 500, durable: 500),
        ]
        #expect(
            segments(slots) == [ResumedSegment(start: 0, position: 500), ResumedSegment(start: 500, position: 600)])
    }

    @Test func ofTwoSlotsWithOneStartTheFurtherCounts() {
        let slots = [
            JournalSlot(start: 0, written: 0, durable: 0), JournalSlot(start: 500, written: 500, durable: 500),
            JournalSlot(start: 500, written: 800, durable: 500),
        ]
        #expect(segments(slots) == [ResumedSegment(start: 0, position: 0), ResumedSegment(start: 500, position: 800)])
    }

    /// All pairs and triples of small slots: they tile, and exactly the bytes that a usable slot claims are there.
    @Test func allSmallJournals() {
        var slots: [JournalSlot] = []
        for start in 0...5 as ClosedRange<Int64> {
            for written in start...5 { slots.append(JournalSlot(start: start, written: written, durable: start)) }
        }
        for one in slots {
            for two in slots {
                for three in slots {
                    let tiles = segments([one, two, three], total: 5)
                    Self.expectTiling(tiles, total: 5)
                    let claimed = [one, two, three].filter { $0.start < 5 }
                    for byte in 0..<5 as Range<Int64> {
                        let isThere = tiles.contains { $0.start <= byte && byte < $0.position }
                        #expect(isThere == claimed.contains { $0.start <= byte && byte < $0.written })
                    }
                }
            }
        }
    }

    @Test func trustNeedsTheSameBootAndTheSameMount() {
        let header = JournalTests.header(boot: "a", mount: 1)
        #expect(JournalTrust(header, bootID: "a", mountID: 1) == .written)
        #expect(JournalTrust(header, bootID: "b", mountID: 1) == .durable)
        #expect(JournalTrust(header, bootID: "a", mountID: 2) == .durable)
        #expect(JournalTrust(JournalTests.header(boot: "", mount: 1), bootID: "", mountID: 1) == .durable)
    }
}
