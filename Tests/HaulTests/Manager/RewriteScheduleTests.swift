import Testing

@testable import HaulLocal

@Suite("When a list that was not synced is rewritten")
struct RewriteScheduleTests {
    @Test("the first time after 10 s, then less and less often, at last once a minute")
    func times() {
        var schedule = RewriteSchedule()
        let begin = ContinuousClock.now
        let due = (0...400).filter { schedule.isDue(at: begin + .seconds($0)) }
        #expect(due == [10, 30, 70, 130, 190, 250, 310, 370])
    }
}
