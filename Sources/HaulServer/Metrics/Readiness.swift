import Haul
package import HaulCore
package import HaulWire

/// Decides if the daemon can take and carry out downloads.
package enum Readiness {
    /// The free space below which the disk of a root counts as full.
    package static let minFree: Int64 = 16 << 20

    /// Returns the error while the list can't be written, without its path unless `showsPaths`.
    package static func shown(_ failure: DownloadError?, showsPaths: Bool) -> DownloadError? {
        guard let failure, !showsPaths else { return failure }
        return DownloadError(failure.code, "can't write the list of downloads")
    }

    /// Returns the reasons why the daemon is not ready.
    ///
    /// - Parameters:
    ///   - failure: The error while the list can't be written.
    ///   - roots: The disks of the roots, in order.
    ///   - blocked: The disks that running downloads wait for.
    ///   - showsPaths: True if messages name the folders; otherwise their numbers, because anyone may ask.
    package static func obstacles(
        listFailure failure: DownloadError?, roots: [RootSpace], blocked: [BlockedDisk], showsPaths: Bool
    ) -> [ReadyMessage.Obstacle] {
        var obstacles: [ReadyMessage.Obstacle] = []
        if let failure = shown(failure, showsPaths: showsPaths) {
            obstacles.append(ReadyMessage.Obstacle(code: failure.code, message: failure.message))
        }
        for (index, root) in roots.enumerated() {
            let name = showsPaths ? "the root \(root.path)" : "root \(index + 1)"
            guard let space = root.space else {
                obstacles.append(
                    ReadyMessage.Obstacle(code: .fileFailed, message: "\(name) does not exist or does not respond"))
                continue
            }
            guard space.free < minFree else { continue }
            obstacles.append(
                ReadyMessage.Obstacle(
                    code: .noSpace,
                    message: "the disk of \(name) is full: \(ByteCount.string(space.free)) free, "
                        + "\(ByteCount.string(minFree)) needed"))
        }
        for disk in blocked {
            let name = showsPaths ? "the disk at \(disk.mountPoint)" : "a disk"
            obstacles.append(
                ReadyMessage.Obstacle(
                    code: .fileFailed,
                    message: "\(name) has not responded for \(disk.time.components.seconds) s: downloads to it wait"))
        }
        return obstacles
    }
}

extension DaemonState {
    /// Returns the reasons why the daemon is not ready; see `Readiness`.
    func obstacles(showsPaths: Bool) async -> [ReadyMessage.Obstacle] {
        await disks(showsPaths: showsPaths).obstacles
    }

    /// Returns the disks of the roots, and the reasons why the daemon is not ready, after waiting for at most a second.
    private func disks(showsPaths: Bool) async -> (roots: [RootSpace], obstacles: [ReadyMessage.Obstacle]) {
        async let blocked = manager.blockedDisks
        let roots = await rootWatch.spaces(rules.roots.paths)
        let obstacles = Readiness.obstacles(
            listFailure: manager.listFailure, roots: roots, blocked: await blocked, showsPaths: showsPaths)
        return (roots, obstacles)
    }

    /// Returns the figures for Prometheus.
    func figures() async throws(DownloadError) -> DaemonFigures {
        let disks = await disks(showsPaths: false)
        return DaemonFigures(
            summary: try await SystemRoutes.summary(manager), manager: await manager.figures, roots: disks.roots,
            obstacles: disks.obstacles.count, webhook: webhook?.counters, process: ProcessFigures(started: startTime),
            version: version)
    }
}
