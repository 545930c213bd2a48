import Haul
import HaulCore
import HaulTesting
import Testing

@testable import HaulEngine

@Suite("Lanes")
struct EventLoopExecutorTests {
    @Test("an engine lends its transport's lanes, and a task on one stays there")
    func executors() async throws {
        let engine = try DownloadEngine()
        let eventLoopExecutor = try #require(engine.eventLoopExecutor())
        let isSame = await withTaskExecutorPreference(eventLoopExecutor) {
            engine.eventLoopExecutor() as AnyObject === eventLoopExecutor as AnyObject
        }
        #expect(isSame)
        await engine.shutdown()
    }
}
