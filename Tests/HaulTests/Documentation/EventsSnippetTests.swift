import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: events", .usesSockets)
struct EventsSnippetTests {
    static let file = Resource.file(seed: 34, size: 300_000)

    @Test("what happened while nobody looked")
    func replay() async throws {
        try await ManagerTrial.run(["/a": Self.file, "/b": Self.file]) { harness in
            let before = try harness.manager
            try await before.add(contentsOf: [harness.spec("/a"), harness.spec("/b")])
            await before.idle()
            let manager = try await harness.relaunch()
            let first = printed.lines.count
            let last = try await catchUp(with: manager, after: 0)
            #expect(
                printed.lines.dropFirst(first).sorted() == [
                    "finished: \(harness.path("a"))", "finished: \(harness.path("b"))",
                ])
            // The usual case at a launch: nothing was missed.
            #expect(try await catchUp(with: manager, after: last) == last)
            #expect(printed.lines.count == first + 2)
            for try await _ in manager.missedEvents { Issue.record("nothing was missed") }
        }
    }

    private let printed = Printed()
    private func print(_ line: String) { printed.add(line) }

    // snippet: replay
    /// Handles what has happened since the event with this number, and returns the number of the last event.
    func catchUp(with manager: DownloadManager, after known: Int64) async throws -> Int64 {
        let last = manager.lastEventNumber
        // If nothing was missed, the loop would wait for the next event.
        guard known < last else { return known }
        for try await event in manager.events(since: known) {
            if case .finished(let facts) = event.kind { print("finished: \(facts.path)") }
            if event.number >= last { break }
        }
        return last
    }
    // end snippet

    @Test("sums")
    func summaries() async throws {
        let paths = ["/a", "/b", "/c"]
        try await ManagerTrial.run(Dictionary(uniqueKeysWithValues: paths.map { ($0, Self.file) })) { harness in
            let manager = try harness.manager
            try await manager.add(contentsOf: paths.map { harness.spec($0) })
            let failing = try await manager.add(harness.spec("/missing"))
            try await manager.add(harness.spec("/a", "later") { $0.after = [failing.id] })
            let printed = Printed()
            let print = printed.add
            // snippet: summaries
            let watching = Task {
                for await summary in manager.summaries {
                    print("\(summary[.running]) at work, \(summary[.waiting]) waiting, \(Int(summary.speed)) bytes/s")
                }
            }
            await manager.idle()
            watching.cancel()
            // end snippet
            await watching.value
            #expect(harness.names == ["a", "b", "c"])
            // One that waits for a failed download is still waiting.
            #expect(try await manager.summary()[.waiting] == 1)
        }
    }

    @Test("commands and notifications")
    func hooks() async throws {
        try await ManagerTrial.run([:]) { harness in
            let list = harness.path("other.sqlite")
            // snippet: hooks
            var configuration = ManagerConfiguration(storage: .file(path: list))
            configuration.notifier = FreedesktopNotifier()
            configuration.settings.hooks = [
                try HookCommand(on: [.completed, .failed], arguments: ["/usr/local/bin/after-download", "--quiet"])
            ]
            let manager = try await DownloadManager(configuration)
            // end snippet
            #expect(manager.capabilities.contains(.hooks))
            #expect(try await manager.currentSettings.hooks.map(\.on) == [[.completed, .failed]])
            await manager.close()
        }
    }

    @Test("several managers, one view")
    func group() async throws {
        try await FaultServer.run(["/film": Self.file, "/song": Self.file]) { server in
            let folder = try TemporaryFolder()
            // snippet: group
            let films = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
            let music = try await DownloadManager(ManagerConfiguration(storage: .inMemory))
            let all = ManagerGroup([films, music])
            // end snippet
            for (manager, path) in [(films, "/film"), (music, "/song")] {
                let spec = DownloadSpec(url: server.url(path), destination: .folder(path: folder.path))
                try await manager.add(spec)
                await manager.idle()
            }
            let printed = Printed()
            let print = printed.add
            // snippet: group-summary
            let summary = try await all.summary()
            print("\(summary[.finished]) files are here")
            await all.close()
            // end snippet
            #expect(printed.lines == ["2 files are here"])
            #expect(folder.names == ["film", "song"])
        }
    }
}

extension ManagerTrial {
    /// Closes the manager, and launches another one over the same list.
    func relaunch() async throws -> DownloadManager {
        await close()
        return try await launch()
    }
}
