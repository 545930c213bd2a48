extension Scheduler {
    /// Returns the reason why a download does not run at a time, in milliseconds since 1970.
    ///
    /// Before `next(now:)` returns a download, its reason is `start`; if it returns nil, no download has that reason.
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

    /// Returns the earliest time after `now` before which a waiting download must not start, or nil if there is none.
    ///
    /// Both are in milliseconds since 1970.
    package func nextWake(now: Int64) -> Int64? {
        QueueTime(after: max(0, now)).flatMap { times.first(atOrAbove: $0)?.time }
    }

    /// Returns the waiting downloads with a time after `earlier` and not after `now`, in the order of these times.
    ///
    /// Both are in milliseconds since 1970.
    package func due(after earlier: Int64, until now: Int64) -> [DownloadID] {
        var due: [DownloadID] = []
        var next = QueueTime(after: max(0, earlier))
        while let bound = next, let time = times.first(atOrAbove: bound), time.time <= now {
            due.append(time.id)
            next = QueueTime(above: time)
        }
        return due
    }
}

/// The reason why a download does not run.
package enum QueueReason: Hashable, Sendable {
    /// The limit on running downloads is reached.
    case turn(limit: Int)
    /// The limit on running downloads of its host (given by number) is reached; it waits even if another slot becomes
    /// free.
    case host(Int32, limit: Int)
    /// It must not start before this time, in milliseconds since 1970.
    case notBefore(Int64)
    /// Nothing holds it back: it starts after the downloads that come before it.
    case start
    /// It is not waiting: it runs, or the scheduler does not know it.
    case notWaiting
}
