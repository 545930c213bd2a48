import CHaulSystem
import Testing

@testable import HaulServer

@Suite("The number of threads that can be started")
struct TaskLimitTests {
    @Test("threads are started, counted and ended", arguments: [0, 1, 20])
    func startable(count: Int32) { #expect(haul_startable_threads(count) == count) }

    @Test("nothing is reported if enough threads can be started")
    func enough() { #expect(TaskLimit.problem == nil) }
}
