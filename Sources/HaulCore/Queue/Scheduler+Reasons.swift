extension Scheduler {
    /// Why a download does not run at a time, in milliseconds since 1970.
    ///
    /// What `next(now:)` returns had the reason `start` before; where it returns nil, no download has that reason.
    package func reason(_ id: DownloadID, now: Int64) -> QueueReason {
        guard isWaiting(id), let entry = entry(id) else { return .notWaiting }
        if entry.notBefore > max(0, now) { return .notBefore(entry.notBefore) }
        if entry.ignoresLimits { return .start }
        if let limit = configuration.hostLimit, !load.hasRoom(at: entry.host, limit) {
            return .host(entry.host, limit: limit)
        }
        if let limit = configuration.limit, !load.hasRoom(limit) { return .turn(limit: limit) }
        return .start
    }

    /// The earliest time after `now` before which a waiting download must not start; nil where there is none.
    ///
    /// Both are in milliseconds since 1970.
    package func nextWake(now: Int64) -> Int64? {
        QueueTime(after: max(0, now)).flatMap { times.first(atOrAbove: $0)?.time }
    }
}
