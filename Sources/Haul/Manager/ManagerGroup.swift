public import HaulCore

/// Several managers side by side, seen as one; each stays what it is, with a list, settings and limits of its own.
public struct ManagerGroup: Sendable {
    /// The managers, in the order in which they are shown.
    public let managers: [DownloadManager]

    /// Puts managers together.
    public init(_ managers: [DownloadManager]) { self.managers = managers }

    /// All of them summed up.
    public func summary() async -> DownloadSummary {
        var result = DownloadSummary()
        for manager in managers { result = result + (await manager.summary()) }
        return result
    }

    /// The sum, again each time that a part of it changes; the newest wins.
    ///
    /// It ends when all managers are closed.
    public var summaries: AsyncStream<DownloadSummary> {
        AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let watching = Task { await watch { continuation.yield($0) } }
            continuation.onTermination = { _ in watching.cancel() }
            Task {
                await watching.value
                continuation.finish()
            }
        }
    }

    private func watch(_ emit: @escaping @Sendable (DownloadSummary) -> Void) async {
        await withTaskGroup(of: Void.self) { tasks in
            for manager in managers {
                tasks.addTask {
                    for await _ in manager.summaries { emit(await summary()) }
                }
            }
        }
    }

    /// The downloads of all that pass a filter, manager by manager.
    public func snapshots(
        _ filter: DownloadFilter = .all, limit: Int = 100
    ) async throws(DownloadError) -> [(manager: DownloadManager, snapshot: DownloadSnapshot)] {
        var result: [(DownloadManager, DownloadSnapshot)] = []
        for manager in managers where result.count < limit {
            result += try await manager.snapshots(filter, limit: limit - result.count).map { (manager, $0) }
        }
        return result
    }

    /// Pauses those of all managers that a filter finds, and says how many.
    @discardableResult
    public func pause(_ filter: DownloadFilter = .all) async throws(DownloadError) -> Int {
        var count = 0
        for manager in managers { count += try await manager.pause(filter) }
        return count
    }

    /// Resumes those of all managers that a filter finds, and says how many.
    @discardableResult
    public func resume(_ filter: DownloadFilter = .all) async throws(DownloadError) -> Int {
        var count = 0
        for manager in managers { count += try await manager.resume(filter) }
        return count
    }

    /// Closes all.
    public func close() async {
        for manager in managers { await manager.close() }
    }
}
