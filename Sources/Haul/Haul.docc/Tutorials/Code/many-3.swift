import Haul

@main
struct Fetch {
    static func main() async throws {
        let urls = ["https://example.org/1.mp3", "https://example.org/2.mp3", "https://example.org/3.mp3"]
        var configuration = ManagerConfiguration(storage: .file(path: "downloads.sqlite"))
        configuration.settings.limit = 2
        let manager = try await DownloadManager(configuration)
        let specs = urls.map { DownloadSpec(url: $0, destination: .folder(path: ".")) }
        for (url, result) in zip(urls, try await manager.add(contentsOf: specs)) {
            switch result {
            case .success(let download): print("\(url) is download \(download.id)")
            case .failure(let error): print("\(url) was not added: \(error)")
            }
        }
        await manager.idle()
        for snapshot in try await manager.snapshots(.state(.failed)) {
            guard case .failed(let error) = snapshot.state else { continue }
            print("\(snapshot.spec.url): \(error)")
        }
        try await manager.retry(.state(.failed))
        await manager.idle()
        await manager.close()
    }
}
