public import HaulCore

extension DownloadManager {
    /// What limits a download that runs, or limited the last run of it; nil where it has not run lately.
    ///
    /// The last 32 runs that ended are remembered, until the manager is closed.
    public func explanation(_ id: DownloadID) -> Explanation? { live[id]?.watch.explanation ?? recent[id] }
}

extension Download {
    /// See `DownloadManager.explanation(_:)`.
    public var explanation: Explanation? {
        get async { await manager.explanation(id) }
    }
}
