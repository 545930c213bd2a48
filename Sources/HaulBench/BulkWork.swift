import ArgumentParser
import Haul
import HaulCore
import Synchronization

/// Benchmark B10: commands for all downloads of a long list, while another task keeps reading the list.
struct BulkWork: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bulk",
        abstract: "Gives commands to all of many downloads and reads the list meanwhile; prints JSON.")

    @Option(help: "How many downloads.") var count = 200_000
    @Argument(help: "A folder for the list.") var folder: String

    func run() async throws {
        let silence = try await SilentServer.start()
        var configuration = ManagerConfiguration(storage: .file(path: "\(folder)/list.sqlite"))
        configuration.settings.limit = 3
        let manager = try await DownloadManager(configuration)
        var figures = Figures()
        for (name, verb) in verbs {
            try await fill(manager, silence.port)
            let before = Figures.residentBytes()
            let watch = Watch(manager)
            var changed = 0
            figures["\(name)Seconds"] = try await Figures.seconds { changed = try await verb(manager) }
            figures["\(name)Changed"] = Double(changed)
            let (seconds, bytes) = await watch.end()
            figures["\(name)WaitMilliseconds"] = seconds * 1000
            figures["\(name)MiB"] = Double(bytes - before) / Double(1 << 20)
        }
        await manager.close()
        await silence.stop()
        print(figures.json)
    }

    private var verbs: [(String, (DownloadManager) async throws -> Int)] {
        [
            ("pause", { try await $0.pause(.all) }), ("resume", { try await $0.resume(.all) }),
            ("cancel", { try await $0.cancel(.all, keepPartial: false) }), ("retry", { try await $0.retry(.all) }),
            ("remove", { try await $0.remove(.all) }),
        ]
    }

    /// Adds the downloads, unless they are in the list, and waits until the queue is full.
    private func fill(_ manager: DownloadManager, _ port: Int) async throws {
        let isFilled = try await manager.count() == count
        for start in stride(from: 0, to: isFilled ? 0 : count, by: 40_000) {
            let specs = (start..<min(start + 40_000, count)).map { number in
                SilentServer.spec(port, "files/archive-\(number).tar.gz", destination: .folder(path: folder))
            }
            try await manager.add(contentsOf: specs)
        }
        for await summary in manager.summaries
        where summary[.running] == 3 || summary[.paused] == count || summary[.cancelled] == count { break }
    }
}

/// Reads a list again and again, and notes the longest wait and the most memory.
private final class Watch: Sendable {
    private let worst = Mutex<(seconds: Double, bytes: Int64)>((0, 0))
    private let task = Mutex<Task<Void, any Error>?>(nil)

    init(_ manager: DownloadManager) {
        task.withLock { task in
            task = Task { [self] in
                while !Task.isCancelled {
                    let seconds = try await Figures.seconds {
                        _ = try await manager.summary()
                        _ = try await manager.snapshots(limit: 10)
                    }
                    worst.withLock {
                        $0 = (max($0.seconds, seconds), max($0.bytes, Figures.residentBytes()))
                    }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
        }
    }

    func end() async -> (seconds: Double, bytes: Int64) {
        let task = task.withLock { $0 }
        task?.cancel()
        _ = await task?.result
        return worst.withLock { $0 }
    }
}
