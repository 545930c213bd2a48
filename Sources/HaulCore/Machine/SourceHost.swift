/// One host of a download's sources: how many connections pay there, and what it grants beside other downloads.
struct SourceHost: Hashable, Sendable {
    /// Scheme, host and port.
    let origin: URLOrigin
    /// How many connections this download makes good use of there.
    var governor: ConnectionGovernor
    /// What the host grants to this download, as far as it was told.
    var quota = ConnectionQuota()
    /// What was told last of its use.
    var reported = HostUse()
    /// Which number of connections was told to pay.
    var reportedOptimum: Int?
    /// Which wait for a place was told last, by its end.
    var reportedWait: Duration?
    /// Whether there is work for more connections than the host grants.
    var wantsMoreConnections = false
    /// Refusals in a row for which the connections of others are hardly the reason.
    var oddRefusals = 0
}
