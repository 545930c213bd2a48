import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: crash safety", .usesSockets)
struct CrashSafetySnippetTests {
    static let file = Resource.file(seed: 36, size: 3_000_000)

    @Test("the list after kill -9")
    func relaunch() async throws {
        try await ManagerTrial.run(["/f": Self.file], throttle: 1_000_000) { harness in
            try await harness.manager.add(harness.spec("/f"))
            _ = try await harness.manager.first { if case .progress = $0.kind { true } else { false } }
            await harness.kill()
            harness.server.throttle(nil)
            let list = harness.path("list.sqlite")
            let printed = Printed()
            let print = printed.add
            // snippet: relaunch
            let manager = try await DownloadManager(ManagerConfiguration(storage: .file(path: list)))
            if let notice = manager.openingNotice { print(notice) }
            for snapshot in try await manager.snapshots() { print("\(snapshot.id) is \(snapshot.state.kind)") }
            await manager.idle()
            // end snippet
            await manager.close()
            #expect(printed.lines.count == 1)
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }

    @Test("nothing goes on unless asked")
    func paused() async throws {
        try await ManagerTrial.run(["/f": Self.file], throttle: 100_000) { harness in
            let id = try await harness.manager.add(harness.spec("/f")).id
            await harness.close()
            harness.server.throttle(nil)
            let list = harness.path("list.sqlite")
            // snippet: launch-paused
            var configuration = ManagerConfiguration(storage: .file(path: list))
            configuration.resumesAtLaunch = false
            let manager = try await DownloadManager(configuration)
            // end snippet
            #expect(try await manager.snapshot(id).state == .paused(.relaunch))
            // snippet: resume-all
            try await manager.resume(.all)
            // end snippet
            await manager.idle()
            await manager.close()
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }
}
