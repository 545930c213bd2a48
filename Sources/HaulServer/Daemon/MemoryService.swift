import CHaulSystem
import Haul
import ServiceLifecycle

/// Has the daemon keep little memory, and give back what many connections took as soon as nothing runs any more.
struct MemoryService: Service {
    let manager: DownloadManager

    func run() async throws {
        haul_use_little_memory()
        var wasRunning = false
        for await summary in manager.summaries.cancelOnGracefulShutdown() {
            if wasRunning, summary[.running] == 0 { haul_give_memory_back() }
            wasRunning = summary[.running] > 0
        }
        // The list was closed: the daemon is leaving.
        try? await gracefulShutdown()
    }
}
