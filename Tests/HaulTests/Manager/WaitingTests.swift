import Haul
import HaulCore
import HaulManager
import HaulStore
import HaulTestTraits
import HaulTesting
import Testing

@testable import HaulLocal

/// Tasks that wait for a download.
@Suite("Waiting for a download", .usesSockets)
struct WaitingTests {
    private static let file = Resource.file(seed: 74, size: 2_000_000)
    private static let stalls = file.script { _ in .stall(after: 200_000) }
    /// Breaks off after 200,000 bytes, and is 403 Forbidden from then on.
    private static let expiring = file.script { facts in
        facts.number == 1 ? .cut(after: 200_000) : .status(403)
    }

    @Test("a cancelled wait throws CancellationError, and the download is unchanged")
    func cancelledWait() async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            try await download.until(bytes: 200_000)
            let waiting = Task { try await download.finished() }
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            #expect(try await download.state == .running)
            harness.server.set("/a", Self.file)
            try await download.pause()
            try await download.resume()
            _ = try await download.finished()
        }
    }

    @Test("so does a cancelled loop over events, but not one that ends")
    func cancelledLoop() async throws {
        try await ManagerTrial.run(["/a": Self.stalls]) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            try await download.until(bytes: 200_000)
            let one = Task { for try await _ in download.events {} }
            let all = Task { for try await _ in manager.events() {} }
            one.cancel()
            all.cancel()
            await #expect(throws: CancellationError.self) { try await one.value }
            await #expect(throws: CancellationError.self) { try await all.value }
            let ending = Task { for try await _ in download.events {} }
            try await download.remove()
            try await ending.value
        }
    }

    @Test("if the list can't be read, that is the error, and not that the download does not exist")
    func unreadable() async throws {
        try await ManagerTrial.run([:], { $0.settings.limit = 0 }) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            let local = try #require(manager.backend as? LocalManager)
            local.catalogue.close()
            #expect(await download.failure() == .catalogueFailed)
        }
    }

    @Test("an expired link is an error for who does not wait for a new one", arguments: [true, false])
    func expiredLink(isHeld: Bool) async throws {
        try await ManagerTrial.run(["/old": Self.expiring, "/new": Self.file]) { harness in
            let download = try await harness.manager.add(harness.spec("/old", "f"))
            if isHeld { try await download.until { if case .waiting(.linkExpired) = $0 { true } else { false } } }
            #expect(await code { _ = try await download.finished(waitsForNewLink: false) } == .linkExpired)
            let patient = Task { try await download.finished() }
            try await download.replaceSource(url: harness.server.url("/new"))
            #expect(try await patient.value.totalBytes == 2_000_000)
            #expect(harness.bytes("f") == Self.file.allBytes)
        }
    }
}
