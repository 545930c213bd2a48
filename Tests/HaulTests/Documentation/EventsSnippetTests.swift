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
            let printed = Printed()
            let print = printed.add
            // snippet: replay
            // Kept by the program, in its own settings: the number of the last event that it has dealt with.
            var known: Int64 = 0
            for try await event in manager.events(since: known) {
                if case .finished(let facts) = event.kind { print("finished: \(facts.path)") }
                known = event.number
                if known == manager.lastEventNumber { break }
            }
            // end snippet
            #expect(printed.lines.sorted() == ["finished: \(harness.path("a"))", "finished: \(harness.path("b"))"])
        }
    }

    @Test("sums")
    func summaries() async throws {
        let paths = ["/a", "/b", "/c"]
        try await ManagerTrial.run(Dictionary(uniqueKeysWithValues: paths.map { ($0, Self.file) })) { harness in
            let manager = try harness.manager
            try await manager.add(contentsOf: paths.map { harness.spec($0) })
            let printed = Printed()
            let print = printed.add
            // snippet: summaries
            for await summary in manager.summaries {
                print(
                    "\(summary[.running]) at work, \(summary[.waiting]) waiting, \(Int(summary.speed)) bytes per second"
                )
                if summary[.running] + summary[.waiting] == 0 { break }
            }
            // end snippet
            #expect(printed.lines.last?.hasPrefix("0 at work, 0 waiting") == true)
            #expect(harness.names == ["a", "b", "c"])
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
