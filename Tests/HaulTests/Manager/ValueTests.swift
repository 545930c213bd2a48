import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal

/// Values that are out of range, and those with a special meaning.
@Suite("Values", .usesSockets)
struct ValueTests {
    private static let file = Resource.file(seed: 72, size: 400_000)

    /// Expects `invalidRequest` with a message that names a value.
    private static func refused(
        _ name: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ body: () async throws(DownloadError) -> Void
    ) async {
        do throws(DownloadError) {
            try await body()
            Issue.record("\(name) was accepted", sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == .invalidRequest, sourceLocation: sourceLocation)
            #expect(error.message.contains(name), "\(error)", sourceLocation: sourceLocation)
        }
    }

    @Test("a rate limit of 0 is none, wherever it is set")
    func noLimit() async throws {
        try await ManagerTrial.run(["/a": Self.file], { $0.settings.rateLimit = 0 }) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a") { $0.rateLimit = 0 })
            // Of one byte per second, it would take days.
            _ = try await download.finished()
            var settings = try await manager.currentSettings
            settings.rateSchedule = RateSchedule(otherwise: 0)
            try await manager.update(settings)
            try await download.set(rateLimit: 0)
            try await download.retry()
            _ = try await download.finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
        }
    }

    @Test("a negative rate limit is refused, wherever it is set")
    func negativeLimit() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            await Self.refused("rateLimit") { () throws(DownloadError) in
                _ = try await manager.add(harness.spec("/a") { $0.rateLimit = -1 })
            }
            let download = try await manager.add(harness.spec("/a") { $0.startsPaused = true })
            await Self.refused("rateLimit") { () throws(DownloadError) in try await download.set(rateLimit: -1) }
            var settings = try await manager.currentSettings
            settings.rateLimit = -1
            await Self.refused("rateLimit") { () throws(DownloadError) in try await manager.update(settings) }
            (settings.rateLimit, settings.rateSchedule) = (nil, RateSchedule(otherwise: -1))
            await Self.refused("rateSchedule") { () throws(DownloadError) in try await manager.update(settings) }
            #expect(try await manager.currentSettings.rateSchedule == nil)
            var configuration = ManagerConfiguration(storage: .inMemory)
            configuration.settings.rateLimit = -1
            await Self.refused("rateLimit") { () throws(DownloadError) in
                _ = try await DownloadManager(configuration)
            }
        }
    }

    @Test("other settings that mean nothing are refused")
    func settings() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            for (name, change) in [
                ("limit", { $0.limit = -1 }), ("hostLimit", { $0.hostLimit = 0 }),
                ("eventsKept", { $0.eventsKept = -1 }),
            ] as [(String, (inout ManagerSettings) -> Void)] {
                var settings = try await manager.currentSettings
                change(&settings)
                await Self.refused(name) { () throws(DownloadError) in try await manager.update(settings) }
            }
        }
    }

    @Test("bounds out of order never stand for the whole file", arguments: [(10, 5), (5, 5), (-1, 5), (-5, -9)])
    func range(lower: Int64, upper: Int64) async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            let spec = harness.spec("/a") { $0.range = ByteRange(lower, upper) }
            await Self.refused("range") { () throws(DownloadError) in _ = try await manager.add(spec) }
            #expect(harness.server.requests("/a").isEmpty)
        }
    }

    @Test("a negative number of snapshots is refused")
    func snapshots() async throws {
        try await ManagerTrial.run([:]) { harness in
            let manager = try harness.manager
            await Self.refused("limit") { () throws(DownloadError) in _ = try await manager.snapshots(limit: -1) }
            let group = ManagerGroup([manager])
            await Self.refused("limit") { () throws(DownloadError) in _ = try await group.snapshots(limit: -1) }
            #expect(try await manager.snapshots(limit: 0) == [])
        }
    }

    @Test("a retry of a download that kept an existing file judges that file again")
    func retryOfKept() async throws {
        try await ManagerTrial.run(["/a": Self.file]) { harness in
            let manager = try harness.manager
            try harness.folder.put([1, 2, 3], "a")
            let download = try await manager.add(harness.spec("/a") { $0.onConflict = .skip })
            #expect(try await download.finished().kept)
            try await download.retry()
            #expect(try await download.finished().kept)
            #expect(harness.bytes("a") == [1, 2, 3])
        }
    }
}
