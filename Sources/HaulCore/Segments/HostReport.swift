/// What a download tells the governor of a host.
package enum HostReport: Hashable, Sendable {
    /// What it has of the host now, and what it would like.
    case uses(HostUse)
    /// One more connection was refused while `left` of the download's own went on; the server may have said for how long.
    case refused(left: Int, retryAfter: Duration?)
    /// So many connections paid, and more of them were not tried or did not.
    case optimum(Int)
}

/// What a download has of a host.
package struct HostUse: Hashable, Sendable {
    /// Its requests under way.
    package var connections = 0
    /// Those of them whose answer was accepted.
    package var delivering = 0
    /// The connections that it has work for.
    package var wanted = 0

    /// Makes the use of a download.
    package init(connections: Int = 0, delivering: Int = 0, wanted: Int = 0) {
        self.connections = connections
        self.delivering = delivering
        self.wanted = wanted
    }

    /// The connections that it has or would like, whichever is more.
    var claim: Int { max(connections, wanted) }
}

/// What a host grants to one download; without further knowledge, anything.
package struct ConnectionQuota: Hashable, Sendable {
    /// The connections that it may have.
    package var connections = Int.max
    /// The connections of all downloads that the host is known to allow; nil: it has not refused any.
    package var limit: Int?
    /// When the host may be tried with one more.
    package var fullUntil: Duration?
    /// Whether other downloads are at work there.
    package var isShared = false
    /// Whether any of those others has an answer.
    package var isServing = false
    /// Whether those others have as many connections as ever delivered at a time.
    package var isFull = false
    /// How many connections paid for an earlier download.
    package var optimum: Int?

    /// Makes an allowance without limits.
    package init() {}
}
