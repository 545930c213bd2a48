/// A report from a download to the governor of a host.
package enum HostReport: Hashable, Sendable {
    /// The connections that it has and wants.
    case uses(HostUse)
    /// One more connection was refused while `left` of the download's own continued; `retryAfter` is the server's
    /// delay, if given.
    case refused(left: Int, retryAfter: Duration?)
    /// This number of connections paid off, and more did not or were not tried.
    case optimum(Int)
}

/// A download's use of a host.
package struct HostUse: Hashable, Sendable {
    /// The number of open requests.
    package var connections = 0
    /// The number of requests with an accepted response.
    package var delivering = 0
    /// The number of connections that it could use.
    package var wanted = 0

    /// Makes a value.
    package init(connections: Int = 0, delivering: Int = 0, wanted: Int = 0) {
        self.connections = connections
        self.delivering = delivering
        self.wanted = wanted
    }

    /// The connections that it has or wants, whichever is more.
    var claim: Int { max(connections, wanted) }
}

/// The connections that a host allows one download; without limits by default.
package struct ConnectionQuota: Hashable, Sendable {
    /// The maximum number of connections.
    package var connections = Int.max
    /// The known limit of the host for all downloads; nil if it has not refused any.
    package var limit: Int?
    /// The time at which one more connection may be tried.
    package var fullUntil: Duration?
    /// True if other downloads are active at the host.
    package var isShared = false
    /// True if any of those others has a response.
    package var isServing = false
    /// True if those others have at least the maximum number of connections that ever delivered at the same time.
    package var isFull = false
    /// The number of connections that paid off for an earlier download.
    package var optimum: Int?

    /// Makes a quota without limits.
    package init() {}
}
