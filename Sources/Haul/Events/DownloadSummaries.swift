/// How many downloads stand where, again each time that changes: see `DownloadManager.summaries`.
///
/// The newest value wins: who is slow misses intermediate ones, never the last. It ends when the manager is closed.
public struct DownloadSummaries: AsyncSequence, Sendable {
    /// A summary.
    public typealias Element = DownloadSummary
    /// It never fails.
    public typealias Failure = Never

    let manager: DownloadManager

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator { Iterator(manager: manager) }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        let manager: DownloadManager
        private var last: DownloadSummary?

        init(manager: DownloadManager) { self.manager = manager }

        /// The present summary first, then each that differs from the one before.
        public mutating func next() async -> DownloadSummary? {
            await next(isolation: nil)
        }

        /// The present summary first, then each that differs from the one before.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DownloadSummary? {
            while !Task.isCancelled, let changeCount = manager.backend.changes.changeCount {
                let summary = await manager.summary()
                if summary != last {
                    last = summary
                    return summary
                }
                await manager.backend.changes.wait(after: changeCount)
            }
            return nil
        }
    }
}
