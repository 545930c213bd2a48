import HaulCore
import Testing

@Suite("What an idle connection does next")
struct SegmentPlannerTests {
    let planner = SegmentPlanner()
    typealias Active = SegmentPlanner.Active

    @Test("a segment that nobody works on comes first")
    func free() {
        var map = SegmentMap(total: 100 << 20)
        _ = map.split(0, at: 50 << 20)
        #expect(planner.next(map, active: [Active(segment: 0, speed: 5)], idle: 1) == .fetch(segment: 1))
        #expect(planner.next(map, active: [], idle: 1) == .fetch(segment: 0))
    }

    @Test("n connections that begin together get n equal parts", arguments: 2...16)
    func equalParts(count: Int) throws {
        let total: Int64 = 1 << 30
        var map = SegmentMap(total: total)
        var active = [Active(segment: 0, speed: 0)]
        while active.count < count {
            guard
                case .takeOver(let slowest, let offset) = planner.next(map, active: active, idle: count - active.count)
            else {
                Issue.record("nothing to take over")
                return
            }
            let new = map.split(slowest, at: offset)
            active.append(Active(segment: try #require(new), speed: 0))
        }
        for segment in map.segments {
            let size = try #require(map.remaining(of: segment.id))
            #expect(abs(size - total / Int64(count)) <= 2 * planner.alignment * Int64(count))
        }
    }

    @Test("the segment that would finish last gives, in proportion to the speeds")
    func proportional() {
        var map = SegmentMap(total: 64 << 20)
        _ = map.split(0, at: 32 << 20)
        let active = [Active(segment: 0, speed: 8_000_000), Active(segment: 1, speed: 1_000_000)]
        guard case .takeOver(1, let offset) = planner.next(map, active: active, idle: 1) else {
            Issue.record("the slow segment should give")
            return
        }
        let kept = Double(offset - (32 << 20))
        let share = 1.0 / (1 + 4.5)
        #expect(abs(kept / Double(32 << 20) - share) < 0.01)
    }

    @Test("no part is smaller than the minimum")
    func minimum() {
        let map = SegmentMap(total: 2 * planner.minimumPiece - 1)
        #expect(planner.next(map, active: [Active(segment: 0, speed: 1)], idle: 1) == nil)
        let large = SegmentMap(total: 2 * planner.minimumPiece)
        guard case .takeOver(0, let offset)? = planner.next(large, active: [Active(segment: 0, speed: 1)], idle: 1)
        else { return #expect(Bool(false)) }
        // The new part has the minimum; the old one may be smaller by less than the alignment.
        #expect(2 * planner.minimumPiece - offset >= planner.minimumPiece)
        #expect(offset > planner.minimumPiece - planner.alignment && offset % 4096 != 0)
    }

    @Test("nothing is taken over where the size is unknown, and nothing is left when all is done")
    func nothing() {
        #expect(planner.next(SegmentMap(total: nil), active: [Active(segment: 0, speed: 1)], idle: 3) == nil)
        #expect(planner.next(SegmentMap(total: 0), active: [], idle: 1) == nil)
    }

    @Test("whatever it proposes, the map grants", arguments: [1, 3, 1000, 1 << 20, 1 << 30])
    func granted(speed: Int) {
        for total in stride(from: Int64(1), to: 4 << 20, by: 99_991) {
            for position in stride(from: Int64(0), to: total, by: 77_777) {
                var map = SegmentMap(total: total)
                map.advance(0, to: position)
                if case .takeOver(let id, let offset) = planner.next(
                    map, active: [Active(segment: 0, speed: Double(speed))], idle: 5)
                {
                    #expect(map.split(id, at: offset) != nil)
                }
            }
        }
    }
}
