public import HaulCore

/// The settings that can be changed while a manager runs: see `DownloadManager.update(_:)`.
public struct ManagerSettings: Hashable, Sendable {
    /// The maximum number of downloads that run at once, 0 or more; nil: unlimited; 0: none starts, except those started
    /// by `startNow`.
    public var limit: Int? = 3
    /// The order of waiting downloads with the same priority.
    public var order: QueueOrder = .fifo
    /// The maximum number of downloads from one host that run at once, 1 or more; nil: only `limit` applies.
    public var hostLimit: Int?
    /// The rate limit of all downloads together, in bytes per second; nil or 0: no limit.
    public var rateLimit: Int64?
    /// Rate limits by time of day, used instead of `rateLimit`; nil: none.
    public var rateSchedule: RateSchedule?
    /// The minimum time between two progress events of one download, at least 100 ms.
    public var progressInterval: Duration = .milliseconds(100)
    /// The number of state events kept for subscribers that return.
    public var eventsKept: Int = 1_000_000
    /// Commands that are run on events.
    public var hooks: [HookCommand] = []

    /// Creates the documented defaults.
    public init() {}

    /// Checks that all numbers are valid.
    ///
    /// - Throws: `DownloadError` with code `invalidRequest` that names the first invalid one.
    package func check() throws(DownloadError) {
        if let limit, limit < 0 { throw DownloadError(.invalidRequest, "limit must be 0 or more, not \(limit)") }
        if let hostLimit, hostLimit < 1 {
            throw DownloadError(.invalidRequest, "hostLimit must be 1 or more, not \(hostLimit)")
        }
        try RateSchedule.check(rateLimit)
        try rateSchedule?.check()
        if eventsKept < 0 {
            throw DownloadError(.invalidRequest, "eventsKept must be 0 or more, not \(eventsKept)")
        }
    }
}
