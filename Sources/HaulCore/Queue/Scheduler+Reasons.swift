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

/// Why a download does not run.
package enum QueueReason: Hashable, Sendable {
    /// As many downloads run as the limit allows.
    case turn(limit: Int)
    /// As many downloads of its host, given by number, run as the limit allows: it stays even if a turn comes.
    case host(Int32, limit: Int)
    /// It must not start before this time, in milliseconds since 1970.
    case notBefore(Int64)
    /// Nothing holds it: it starts as soon as those before it in the line have been asked for.
    case start
    /// It is not among those that wait: it runs, or the scheduler does not know it.
    case notWaiting
}
