import Haul

@main
struct Fetch {
    static func main() async throws {
        let manager = try await DownloadManager(
            ManagerConfiguration(storage: .file(path: "downloads.sqlite")))
        let download = try await manager.add(
            DownloadSpec(url: "https://example.org/debian.iso", destination: .folder(path: ".")))
        let watching = Task {
            for try await summary in manager.summaries {
                print("\(summary[.running]) running at \(Int(summary.speed)) bytes per second")
            }
        }
        _ = try await download.finished()
        watching.cancel()
        await manager.close()
    }
}
