import Haul

@main
struct Fetch {
    static func main() async throws {
        let manager = try await DownloadManager(
            ManagerConfiguration(storage: .file(path: "downloads.sqlite")))
        var spec = DownloadSpec(url: "https://example.org/debian.iso", destination: .folder(path: "."))
        spec.checksum = try Checksum(
            parsing: "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
        spec.onConflict = .keep
        let download = try await manager.add(spec)
        let facts = try await download.finished()
        print("\(facts.path) has \(facts.totalBytes) bytes")
        await manager.close()
    }
}
