import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

@testable import HaulLocal

@Suite("Too few file descriptors", .usesSockets, .timeLimit(.minutes(5)))
struct OpenFilesTests {
    @Test("A download that can open no file waits and says so, fewer run at once, and all finish")
    func waits() async throws {
        let refuses = Mutex(true)
        // EMFILE has this number on Linux and on Apple's systems alike.
        let hook: SystemCalls.Hook = { call in
            guard case .open(let path) = call, path.contains("/f"), refuses.withLock({ $0 }) else { return .proceed }
            return .fail(24)
        }
        let file = Resource.file(seed: 81, size: 500_000)
        try await ManagerTrial.run(["/f": file], hook: hook, { $0.settings.limit = 4 }) { harness in
            let manager = try harness.manager
            let all = try await harness.add((0..<6).map { harness.spec("/f", "f\($0)") })
            _ = try await manager.first { event in
                if case .waiting(.openFiles, _) = event.kind { true } else { false }
            }
            #expect(try await manager.snapshots().contains { $0.state == .waiting(.openFiles) })
            #expect(try await manager.summary()[.failed] == 0)
            refuses.withLock { $0 = false }
            for download in all { _ = try await download.finished() }
        }
    }

    @Test("The limit falls to those that still run at once, and rises one by one when it is calm")
    func crowd() {
        var crowd = CrowdLimit()
        let start = ContinuousClock.now
        #expect(crowd.applied(to: 50) == 50 && crowd.applied(to: nil) == nil && !crowd.limits(50))
        crowd.lower(running: 20, at: start)
        crowd.lower(running: 30, at: start)
        #expect(crowd.applied(to: 50) == 20 && crowd.applied(to: 3) == 3 && crowd.limits(nil) && !crowd.limits(3))
        crowd.lower(running: 0, at: start)
        #expect(crowd.limit == 1)
        var now = start
        let isEarly = !crowd.raise(wanted: 3, at: now)
        #expect(isEarly)
        for limit in [2, nil] as [Int?] {
            now += CrowdLimit.calm
            let rises = crowd.raise(wanted: 3, at: now)
            #expect(rises && crowd.limit == limit)
        }
        let isOver = !crowd.raise(wanted: 3, at: now + .seconds(60))
        #expect(isOver)
    }
}
