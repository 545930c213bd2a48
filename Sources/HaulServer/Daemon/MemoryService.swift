import CHaulSystem
import Haul
import ServiceLifecycle

/// Keeps memory use low, and returns the memory of many connections once nothing runs any more.
struct MemoryService: Service {
    let manager: DownloadManager

    func run() async throws {
        haul_use_little_memory()
        var wasRunning = false
        for await summary in manager.summaries.cancelOnGracefulShutdown() {
            if wasRunning, summary[.running] == 0 { haul_give_memory_back() }
            wasRunning = summary[.running] > 0
        }
        // The list was closed: the daemon is stopping.
        try? await gracefulShutdown()
    }
}
