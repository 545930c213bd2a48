import Foundation
import Haul
import HaulCore
import HaulTestTraits
import HaulTesting
import Testing

@Suite("Documentation: Apple's systems", .usesSockets)
struct AppleSnippetTests {
    @Test("a manager with named bases")
    func bases() async throws {
        let folder = try TemporaryFolder()
        let (list, media) = (folder.path("list.sqlite"), folder.path)
        // snippet: bases
        var configuration = ManagerConfiguration(storage: .file(path: list))
        configuration.bases = [.documents, .caches, NamedBase("media", path: media)]
        let manager = try await DownloadManager(configuration)
        // end snippet
        await manager.close()
        #expect(FileManager.default.fileExists(atPath: list))
    }
}
