import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal

@Suite("The list and power failures", .usesSockets)
struct ListSyncTests {
    @Test("a change is synced 4 s later, and the next one 4 s after it")
    func interval() async throws {
        let clock = ManualClock()
        try await ManagerTrial.run([:], { $0.clock = clock.source }) { harness in
            let manager = try harness.manager
            let catalogue = try #require(manager.local).catalogue
            for _ in 0..<3 {
                let download = try await manager.add(harness.spec("/f") { $0.startsPaused = true })
                #expect(catalogue.hasUnsynced)
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .milliseconds(3900))
                #expect(catalogue.hasUnsynced)
                clock.advance(by: .milliseconds(200))
                while catalogue.hasUnsynced { await Task.yield() }
                try await download.remove()
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(5))
                while catalogue.hasUnsynced { await Task.yield() }
            }
        }
    }
}
