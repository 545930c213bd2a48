package import Haul
package import HaulCore
import Logging
import ServiceLifecycle

/// Keeps the list bounded: removes the oldest downloads that have ended, and returns the space to the disk.
package struct Retention: Sendable {
    private let manager: DownloadManager

    /// The most downloads that are removed by one command.
    private static let portion = 1000

    /// Makes the value for a list.
    package init(_ manager: DownloadManager) { self.manager = manager }

    /// Removes the first finished, failed and cancelled downloads of the list beyond a number; their files stay.
    ///
    /// One that others wait for stays as well: without it, they would start.
    ///
    /// - Returns: The number of removed downloads.
    package func prune(keeping limit: Int) async throws(DownloadError) -> Int {
        var ended = DownloadFilter.state(.finished, .failed, .cancelled)
        let surplus = try await manager.count(ended) - limit
        var removed = 0
        while removed < surplus {
            let awaited = try await manager.awaited
            let oldest = try await manager.snapshots(
                ended, limit: awaited.count + min(Self.portion, surplus - removed))
            let ids = oldest.map(\.id).filter { !awaited.contains($0) }.prefix(min(Self.portion, surplus - removed))
            guard !ids.isEmpty else { break }
            // One that is tried again meanwhile has not ended any more, and stays.
            ended.ids = Set(ids)
            removed += try await manager.remove(ended, files: .none)
            ended.ids = nil
            // Other commands come in between.
            await Task.yield()
            guard !Task.isCancelled else { break }
        }
        return removed
    }
}

/// Looks after the list once a minute, if it has changed.
struct RetentionService: Service {
    let state: DaemonState
    let logger: Logger

    /// The interval.
    private static let interval = Duration.seconds(60)

    func run() async throws {
        let (state, logger) = (state, logger)
        await cancelWhenGracefulShutdown {
            // The first look is at the start: the limit may be lower than before.
            var (seen, tidied): (Int64?, Int64?) = (nil, nil)
            while !Task.isCancelled {
                do throws(DownloadError) {
                    if seen != state.manager.lastEventNumber { try await Self.prune(state, logger) }
                    seen = state.manager.lastEventNumber
                    // While downloads run, free pages and the log are used again soon.
                    if tidied != seen, try await state.manager.summary()[.running] == 0 {
                        try await state.manager.tidyList()
                        tidied = seen
                    }
                } catch {
                    logger.debug("the list was not tidied", metadata: ["error": "\(error)"])
                }
                guard (try? await Task.sleep(for: Self.interval)) != nil else { return }
            }
        }
    }

    private static func prune(_ state: DaemonState, _ logger: Logger) async throws(DownloadError) {
        guard let limit = state.rules.keepsHistory else { return }
        let removed = try await Retention(state.manager).prune(keeping: limit)
        if removed > 0 { logger.info("old downloads removed from the list", metadata: ["downloads": "\(removed)"]) }
    }
}
