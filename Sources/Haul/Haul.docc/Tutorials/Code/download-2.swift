import Haul

@main
struct Fetch {
    static func main() async throws {
        let manager = try await DownloadManager(
            ManagerConfiguration(storage: .file(path: "downloads.sqlite")))
        let download = try await manager.add(
            DownloadSpec(url: "https://example.org/debian.iso", destination: .folder(path: ".")))
        print("download \(download.id) is in the list")
        await manager.close()
    }
}
