import Haul

@main
struct Fetch {
    static func main() async throws {
        let manager = try await DownloadManager(
            ManagerConfiguration(storage: .file(path: "downloads.sqlite")))
        let download = try await manager.add(
            DownloadSpec(url: "https://example.org/debian.iso", destination: .folder(path: ".")))
        events: for try await event in download.events {
            switch event.kind {
            case .snapshot(let snapshot):
                print("\(snapshot.state.kind)")
                if snapshot.state.isFinal { break events }
            case .progress(let progress):
                guard let fraction = progress.fraction else { continue }
                print("\(Int(fraction * 100)) % at \(Int(progress.speed)) bytes per second")
            case .waiting(let reason, _): print("waiting: \(reason)")
            case .finished(let facts):
                print("\(facts.path) is complete")
                break events
            case .failed(let error):
                print("failed: \(error)")
                break events
            default: continue
            }
        }
        await manager.close()
    }
}
