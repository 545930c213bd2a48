public import HaulCore

/// What of a manager can be changed while it works: see `DownloadManager.update(_:)`.
public struct ManagerSettings: Hashable, Sendable {
    /// How many downloads may be at work at once; nil: as many as there are; 0: none begins, except those that are to start at once.
    public var limit: Int? = 3
    /// Which of those that wait with the same priority comes first.
    public var order: QueueOrder = .fifo
    /// How many downloads of one host may be at work at once; nil: no limit but the common one.
    public var hostLimit: Int?
    /// Bytes per second over all downloads; nil: no limit.
    public var rateLimit: Int64?
    /// Limits by the time of day, instead of `rateLimit`; nil: none.
    public var rateSchedule: RateSchedule?
    /// How often the progress of one download is told at most; 100 ms is the shortest.
    public var progressInterval: Duration = .milliseconds(100)
    /// How many state events are kept for subscribers that come back.
    public var eventsKept: Int = 1_000_000
    /// Commands that are run when something happens.
    public var hooks: [HookCommand] = []

    /// Makes the documented defaults.
    public init() {}
}

extension DownloadEngine {
    /// Sets the common limit, or the one by the time of day.
    func setRate(_ settings: ManagerSettings) {
        if let schedule = settings.rateSchedule { setRateSchedule(schedule) } else { setRateLimit(settings.rateLimit) }
    }
}
