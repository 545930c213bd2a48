import Foundation
import Haul
import HaulCore
import HaulFiles
import HaulTestTraits
import HaulTesting
import Synchronization
import Testing

/// A disk on which one name has no room, until it is given some.
final class FullDisk: Sendable {
    private let isFull = Atomic(true)
    private let counted = Mutex(0)
    private let looks: AsyncStream<Void>
    private let look: AsyncStream<Void>.Continuation
    private let name: String

    init(for name: String) {
        self.name = name
        (looks, look) = AsyncStream.makeStream()
    }

    // ENOSPC has this number on Linux and on Apple's systems alike.
    var hook: SystemCalls.Hook {
        { [self] call in
            switch call {
            case .pwrite(let path, _, _), .fallocate(let path, _):
                return path.hasSuffix(name) && isFull.load(ordering: .acquiring) ? .fail(28) : .proceed
            case .space(let path) where !path.contains(".part"):
                look.yield()
                // Looks as if it had been asked, and had said that nothing is free.
                return isFull.load(ordering: .acquiring) ? .pretend : .proceed
            default: return .proceed
            }
        }
    }

    /// Returns when so many further looks at the free room of the folder have been taken.
    func looked(_ count: Int) async {
        var left = count
        for await _ in looks {
            left -= 1
            if left == 0 { return }
        }
    }

    /// From now on there is room.
    func makeRoom() { isFull.store(false, ordering: .releasing) }
}

@Suite("A full disk", .usesSockets, .timeLimit(.minutes(10)))
struct SpaceTests {
    static let file = Resource.file(seed: 69, size: 1_000_000)

    @Test("a manager that does not wait for room: the download fails")
    func fails() async throws {
        let disk = FullDisk(for: "a.part")
        try await ManagerTrial.run(["/a": Self.file], hook: disk.hook, { $0.waitsForSpace = false }) { harness in
            let all = try await harness.add([harness.spec("/a")])
            let error = await #expect(throws: DownloadError.self) { _ = try await all[0].finished() }
            #expect(error?.code == .noSpace)
        }
    }

    @Test("it waits for room with its reason, lets others go on, and goes on by itself (U28, T19)")
    func waits() async throws {
        let disk = FullDisk(for: "a.part")
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file], hook: disk.hook, { $0.settings.limit = 1 }) {
            harness in
            let manager = try harness.manager
            let all = try await harness.add([harness.spec("/a"), harness.spec("/b")])
            try await all[0].until { if case .waiting(.space(let bytes)) = $0 { bytes > 0 } else { false } }
            _ = try await all[1].finished()
            await disk.looked(3)
            guard case .waiting(.space) = try await all[0].state else {
                Issue.record("\(try await all[0].state)")
                return
            }
            #expect(try await manager.summary()[.waiting] == 1)
            disk.makeRoom()
            _ = try await all[0].finished()
            #expect(harness.bytes("a") == Self.file.allBytes)
            let words = await all[0].emitted.map(\.word)
            #expect(words.filter { $0 != "started" && $0 != "waiting" } == ["added", "finished"])
        }
    }

    @Test(
        "while it waits it can be paused, cancelled or removed, and then it does not come back",
        arguments: [Verb.pause, .cancel, .remove])
    func stops(verb: Verb) async throws {
        let disk = FullDisk(for: "a.part")
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file], hook: disk.hook) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            try await download.until { if case .waiting(.space) = $0 { true } else { false } }
            let requests = harness.server.requests("/a").count
            try await verb.ask(download)
            await manager.idle()
            disk.makeRoom()
            _ = try await manager.add(harness.spec("/b")).finished()
            await manager.idle()
            #expect(harness.server.requests("/a").count == requests)
            if verb == .pause {
                try await download.resume()
                _ = try await download.finished()
            }
        }
    }

    @Test("while it waits it can get another path, and starts there at once")
    func otherPath() async throws {
        let disk = FullDisk(for: "a.part")
        try await ManagerTrial.run(["/a": Self.file], hook: disk.hook) { harness in
            let manager = try harness.manager
            let download = try await manager.add(harness.spec("/a"))
            try await download.until { if case .waiting(.space) = $0 { true } else { false } }
            let path = harness.path("b")
            try await manager.rewrite(download.id) { spec throws(DownloadError) in
                spec.destination = .file(path: path)
            }
            #expect(try await download.finished().path == path)
            #expect(harness.bytes("b") == Self.file.allBytes)
        }
    }

    @Test("less room than it takes: not a byte is fetched, and it is not tried again while that stays so (U28)")
    func tooLarge() async throws {
        let counter = FullDisk(for: "nothing")
        counter.makeRoom()
        let folder = try TemporaryFolder()
        let free = try SystemCalls.live.space(SystemCalls.live.open(folder.path, .folder)).available
        // Twice as much as is free: half of it is missing, and as much as that is free.
        let huge = Resource.file(seed: 70, size: free * 2 - 1_000_000_000)
        try await ManagerTrial.run(["/a": huge], hook: counter.hook) { harness in
            let download = try await harness.manager.add(harness.spec("/a"))
            try await download.until { if case .waiting(.space) = $0 { true } else { false } }
            await counter.looked(3)
            guard case .waiting(.space(let bytes)) = try await download.state else {
                Issue.record("\(try await download.state)")
                return
            }
            #expect(abs(bytes - (free - 1_000_000_000)) < 10_000_000_000)
            #expect(harness.server.requests("/a").count == 1)
            #expect(await download.emitted.count { $0.word == "waiting" } == 1)
        }
    }
}
