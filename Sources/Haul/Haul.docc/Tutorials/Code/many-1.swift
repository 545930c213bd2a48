import Haul

@main
struct Fetch {
    static func main() async throws {
        let urls = ["https://example.org/1.mp3", "https://example.org/2.mp3", "https://example.org/3.mp3"]
        let manager = try await DownloadManager(
            ManagerConfiguration(storage: .file(path: "downloads.sqlite")))
        let specs = urls.map { DownloadSpec(url: $0, destination: .folder(path: ".")) }
        for (url, result) in zip(urls, try await manager.add(contentsOf: specs)) {
            switch result {
            case .success(let download): print("\(url) is download \(download.id)")
            case .failure(let error): print("\(url) was not added: \(error)")
            }
        }
        await manager.close()
    }
}
