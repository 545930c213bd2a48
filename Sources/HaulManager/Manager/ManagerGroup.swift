public import HaulCore

/// Several managers shown as one; each keeps its own list, settings and limits.
public struct ManagerGroup: Sendable {
    /// The managers, in the order in which they are shown.
    public let managers: [DownloadManager]

    /// Groups managers.
    public init(_ managers: [DownloadManager]) { self.managers = managers }

    /// Returns the sum of all summaries.
    ///
    /// - Throws: `DownloadError` with code `notPossible` if a manager is closed.
    public func summary() async throws(DownloadError) -> DownloadSummary {
        var result = DownloadSummary()
        for manager in managers { result = result + (try await manager.summary()) }
        return result
    }

    /// Returns the sum; a manager that is closed counts with its last summary.
    private func lastSummary() async -> DownloadSummary {
        var result = DownloadSummary()
        for manager in managers { result = result + (await manager.backend.summary()) }
        return result
    }

    /// The sum, again after each change; only the newest is kept for a slow reader.
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
                    for await _ in manager.summaries { emit(await lastSummary()) }
                }
            }
        }
    }

    /// Returns the downloads that match a filter, manager by manager.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` if the limit is negative.
    public func snapshots(
        _ filter: DownloadFilter = .all, limit: Int = 100
    ) async throws(DownloadError) -> [(manager: DownloadManager, snapshot: DownloadSnapshot)] {
        guard limit >= 0 else { throw .negativeLimit(limit) }
        var result: [(DownloadManager, DownloadSnapshot)] = []
        for manager in managers where result.count < limit {
            result += try await manager.snapshots(filter, limit: limit - result.count).map { (manager, $0) }
        }
        return result
    }

    /// Pauses the matching downloads of all managers, and returns the number of those that changed.
    @discardableResult
    public func pause(_ filter: DownloadFilter = .all) async throws(DownloadError) -> Int {
        var count = 0
        for manager in managers { count += try await manager.pause(filter) }
        return count
    }

    /// Resumes the matching downloads of all managers, and returns the number of those that changed.
    @discardableResult
    public func resume(_ filter: DownloadFilter = .all) async throws(DownloadError) -> Int {
        var count = 0
        for manager in managers { count += try await manager.resume(filter) }
        return count
    }

    /// Closes all managers.
    public func close() async {
        for manager in managers { await manager.close() }
    }
}
