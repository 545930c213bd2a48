/// One host of a download's sources: the useful number of connections, and the quota it grants beside other downloads.
struct SourceHost: Hashable, Sendable {
    /// Scheme, host and port.
    let origin: URLOrigin
    /// Determines the number of connections that this download makes good use of.
    var governor: ConnectionGovernor
    /// The quota that the host last granted to this download.
    var quota = ConnectionQuota()
    /// The use that was last reported to it.
    var reported = HostUse()
    /// The optimum number of connections that was last reported.
    var reportedOptimum: Int?
    /// The end of the wait for a connection slot that was last reported.
    var reportedWait: Duration?
    /// True if there is work for more connections than the host grants.
    var wantsMoreConnections = false
    /// The number of consecutive refusals that the connections of other downloads hardly explain.
    var oddRefusals = 0
}
