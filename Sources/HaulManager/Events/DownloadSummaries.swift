public import HaulCore

/// The number of downloads by state, again after each change: see `DownloadManager.summaries`.
///
/// A slow reader misses intermediate values, never the last one. The sequence ends when the manager is closed.
public struct DownloadSummaries: AsyncSequence, Sendable {
    /// The element type.
    public typealias Element = DownloadSummary
    /// The sequence never throws.
    public typealias Failure = Never

    let manager: DownloadManager

    /// Starts a subscription.
    public func makeAsyncIterator() -> Iterator { Iterator(manager: manager) }

    /// A subscription.
    public struct Iterator: AsyncIteratorProtocol {
        let manager: DownloadManager
        private var last: DownloadSummary?

        init(manager: DownloadManager) { self.manager = manager }

        /// Returns the present summary first, then each that differs from the previous one.
        public mutating func next() async -> DownloadSummary? {
            await next(isolation: nil)
        }

        /// Returns the present summary first, then each that differs from the previous one.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DownloadSummary? {
            while !Task.isCancelled, let changeCount = manager.backend.changes.changeCount {
                let summary = await manager.backend.summary()
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
