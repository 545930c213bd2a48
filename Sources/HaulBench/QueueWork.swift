import ArgumentParser
import Haul
import HaulCore

/// Benchmark B10: a queue of a million downloads that wait for their turn.
struct QueueWork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue", abstract: "Adds many downloads, launches again, lists and removes them; prints JSON.")

    @Option(help: "How many downloads.") var count = 1_000_000
    @Argument(help: "A folder for the list.") var folder: String

    func run() async throws {
        let silence = try await SilentServer.start()
        var figures = Figures()
        var manager = try await open()
        // Occupies the only slot, so that all others wait.
        try await manager.add(blocker(silence.port))
        let before = Figures.residentBytes()
        figures["addPerSecond"] = Double(count) / (try await Figures.seconds { try await fill(manager) })
        figures["bytesEach"] = Double(Figures.residentBytes() - before) / Double(count)
        figures["closeSeconds"] = await Figures.seconds { await manager.close() }
        figures["launchSeconds"] = try await Figures.seconds { manager = try await open() }
        try await list(manager, &figures)
        let all = DownloadFilter.all
        figures["pausePerSecond"] = Double(count) / (try await Figures.seconds { _ = try await manager.pause(all) })
        figures["resumePerSecond"] = Double(count) / (try await Figures.seconds { _ = try await manager.resume(all) })
        figures["removePerSecond"] =
            Double(count) / (try await Figures.seconds { _ = try await manager.remove(all, files: .none) })
        await manager.close()
        await silence.stop()
        print(figures.json)
    }

    private func open() async throws -> DownloadManager {
        var configuration = ManagerConfiguration(storage: .file(path: "\(folder)/list.sqlite"))
        configuration.settings.limit = 1
        return try await DownloadManager(configuration)
    }

    private func blocker(_ port: Int) -> DownloadSpec {
        var spec = SilentServer.spec(port, destination: .file(path: "\(folder)/blocker"))
        spec.priority = 1
        return spec
    }

    /// Adds downloads in portions, so that the caller's specs do not count as the manager's memory.
    private func fill(_ manager: DownloadManager) async throws {
        for start in stride(from: 0, to: count, by: 40_000) {
            let specs = (start..<min(start + 40_000, count)).map { number in
                DownloadSpec(
                    url: "https://host\(number % 100).example.org/files/archive-\(number).tar.gz",
                    destination: .folder(path: folder))
            }
            try await manager.add(contentsOf: specs)
        }
    }

    private func list(_ manager: DownloadManager, _ figures: inout Figures) async throws {
        var worst = 0.0
        for place in [0, count / 2, count - 101] {
            guard let after = try await manager.download(at: place) else { continue }
            let seconds = try await Figures.seconds {
                let page = try await manager.snapshots(after: after.id, limit: 100)
                guard page.count == 100 else { throw ValidationError("a page has \(page.count) downloads") }
            }
            worst = max(worst, seconds)
        }
        figures["pageSeconds"] = worst
    }
}
