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
            if event.kind.endsRun { break }
        }
        await manager.close()
    }
}
