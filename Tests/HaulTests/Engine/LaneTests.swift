import HaulCore
import HaulTesting
import Testing

@testable import Haul

@Suite("Lanes")
struct LaneTests {
    @Test("an engine lends its transport's lanes, and a task on one stays there")
    func lanes() async throws {
        let engine = try DownloadEngine()
        let lane = try #require(engine.lane())
        let isSame = await withTaskExecutorPreference(lane) { engine.lane() as AnyObject === lane as AnyObject }
        #expect(isSame)
        await engine.shutdown()
    }
}
