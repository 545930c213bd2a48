import Foundation
import Haul
import HaulCore
import Testing

@testable import HaulServer

@Suite("The events of a stream that is filtered by tags")
struct EventMembersTests {
    @Test("an event that can't be looked up ends the stream, instead of being left out")
    func unreadable() async throws {
        var configuration = ManagerConfiguration(storage: .inMemory)
        configuration.settings.limit = 0
        let manager = try await DownloadManager(configuration)
        var spec = DownloadSpec(url: "http://127.0.0.1:1/a", destination: .file(path: "/nowhere/a"))
        spec.tags = ["app:a"]
        let download = try await manager.add(spec)
        let event = DownloadEvent(number: 1, download: download.id, time: .now, kind: .added)
        var (before, after) = (EventMembers(["app:a"]), EventMembers(["app:a"]))
        let isMember = try await before.hold(event, manager)
        await manager.close()
        // What is known needs no list.
        let isKnown = try await before.hold(event, manager)
        #expect(isMember && isKnown)
        await #expect(throws: DownloadError.self) { try await after.hold(event, manager) }
    }
}
