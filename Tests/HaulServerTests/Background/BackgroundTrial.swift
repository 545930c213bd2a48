import Haul
import HaulClient
import HaulTesting

extension ServedTrial {
    /// A program's manager over this daemon; the program that is launched again has the same identifier and position.
    func launch(_ identifier: String = "org.example.test") async throws -> DownloadManager {
        var configuration = BackgroundConfiguration(identifier: identifier)
        configuration.socketPath = socket
        configuration.startsDaemon = false
        configuration.positionPath = "\(folder.path)/clients/\(identifier)"
        return try await DownloadManager(configuration)
    }

    /// Runs `body` with a program's manager, and closes it whatever comes of it.
    func program(
        _ identifier: String = "org.example.test", _ body: (DownloadManager) async throws -> Void
    ) async throws {
        let manager = try await launch(identifier)
        do {
            try await body(manager)
        } catch {
            await manager.close()
            throw error
        }
        await manager.close()
    }
}
