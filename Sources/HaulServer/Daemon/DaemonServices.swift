import CHaulSystem
import Dispatch
import Haul
package import HaulCore
import HaulLibC
import HaulWire
import Logging
import ServiceLifecycle
import UnixSignals

/// Keeps the list open until the daemon stops, then saves it, as the last service.
struct ManagerService: Service {
    let manager: DownloadManager
    let logger: Logger

    func run() async throws {
        try? await gracefulShutdown()
        await manager.close()
    }
}

/// Reports to the service manager: ready, status, watchdog, stopping.
struct NotifyService: Service {
    let manager: DownloadManager
    let service: ServiceManager

    func run() async throws {
        service.report("READY=1", "STATUS=" + StatusText.text(try await manager.summary()))
        let (manager, service) = (manager, service)
        await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try? await gracefulShutdown() }
            tasks.addTask { await tellStatus(manager, service) }
            if let watchdog = service.watchdog {
                tasks.addTask { await keepAlive(manager, service, every: watchdog / 3) }
            }
            await tasks.next()
            tasks.cancelAll()
        }
        service.report("STOPPING=1", "STATUS=saving")
    }

    private func tellStatus(_ manager: DownloadManager, _ service: ServiceManager) async {
        for await summary in manager.summaries {
            service.report("STATUS=" + StatusText.text(summary))
            // The service manager stores each status: once a second is more than enough.
            guard (try? await Task.sleep(for: .seconds(1))) != nil else { return }
        }
        // The list was closed: the daemon is stopping.
        try? await gracefulShutdown()
    }

    /// Sends the watchdog signal only while the list responds.
    private func keepAlive(_ manager: DownloadManager, _ service: ServiceManager, every interval: Duration) async {
        while !Task.isCancelled {
            guard (try? await manager.summary()) != nil else { return }
            service.report("WATCHDOG=1")
            guard (try? await Task.sleep(for: interval)) != nil else { return }
        }
    }
}

/// Ends the process if saving takes too long.
///
/// The last of the services, so that it learns first that the daemon is stopping.
struct DeadlineService: Service {
    let limit: Duration
    let overdue: @Sendable () -> Void

    func run() async throws {
        try? await gracefulShutdown()
        guard !Task.isCancelled else { return }
        // On a thread that does not depend on those that may be busy.
        DispatchQueue.global().asyncAfter(deadline: .now() + (limit / .seconds(1)), execute: overdue)
    }
}

/// The status of the daemon in one line.
package enum StatusText {
    /// Returns a text such as `2 running at 3.1 MiB/s, 5 waiting, 1 failed`.
    package static func text(_ summary: DownloadSummary) -> String {
        var parts: [String] = []
        if summary[.running] > 0 {
            let speed = ByteCount.string(Int64(min(max(summary.speed, 0), 1e15)))
            parts.append("\(summary[.running]) running at \(speed)/s")
        }
        for kind in [DownloadState.Kind.waiting, .paused, .failed] where summary[kind] > 0 {
            parts.append("\(summary[kind]) \(kind.rawValue)")
        }
        return parts.isEmpty ? "idle" : parts.joined(separator: ", ")
    }
}

/// Reads the configuration again at SIGHUP, and opens the log file again if it was rotated.
struct ReloadService: Service {
    let state: DaemonState
    let logger: Logger
    /// The configuration at start.
    let configuration: DaemonConfiguration
    let environment: [String: String]
    let reread: @Sendable () throws(DownloadError) -> DaemonConfiguration
    /// The file that standard error writes to; nil if the log goes elsewhere.
    let logFile: DaemonLogFile?

    func run() async throws {
        var last = configuration
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() {
            do throws(DownloadError) {
                try logFile?.reopen()
            } catch {
                logger.error("the log continues in the old file: \(error)")
            }
            do throws(DownloadError) {
                let next = try await reload()
                let (waiting, changed) = (configuration.needsRestart(for: next), last.needsRestart(for: next))
                last = next
                logger.notice("configuration reloaded")
                // A service manager may send the signal twice: a warning is not repeated.
                if !waiting.isEmpty, !changed.isEmpty {
                    let names = waiting.map(\.rawValue).joined(separator: ", ")
                    logger.warning("changed settings require a restart", metadata: ["settings": "\(names)"])
                }
            } catch {
                // The previous configuration stays in effect.
                logger.error("invalid configuration, nothing changed: \(error)")
            }
        }
    }

    private func reload() async throws(DownloadError) -> DaemonConfiguration {
        // On a thread of its own, since the disk of a root may not respond.
        let (next, roots) = try await BlockingQueue(label: "haul.reload").call {
            [reread, environment] () throws(DownloadError) in
            let next = try reread()
            try next.checkHooks(environment: environment)
            return (next, try FolderRoots(next))
        }
        try await state.take(next.settings)
        state.change { rules in
            rules.roots = roots
            rules.privateAddresses = next.privateAddresses
            rules.keepsHistory = next.keepsHistory
        }
        return next
    }
}

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
