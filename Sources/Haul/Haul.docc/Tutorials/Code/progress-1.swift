import Haul

@main
struct Fetch {
    static func main() async throws {
        let manager = try await DownloadManager(
            ManagerConfiguration(storage: .file(path: "downloads.sqlite")))
        let download = try await manager.add(
            DownloadSpec(url: "https://example.org/debian.iso", destination: .folder(path: ".")))
        for try await event in download.events {
            print(event)
            // The first event is a snapshot. If the download has ended already, no other one follows.
            if case .snapshot(let snapshot) = event.kind, snapshot.state.isFinal { break }
            if event.kind.endsRun { break }
        }
        await manager.close()
    }
}
