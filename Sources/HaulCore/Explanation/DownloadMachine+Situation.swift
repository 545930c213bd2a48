/// The properties that `TransferRecording` reads from the machine.
extension DownloadMachine {
    /// The activity that the current time is attributed to.
    var activity: TransferActivity {
        switch phase {
        case .probing, .proving, .transferring:
            if active.isEmpty { return .waiting }
            return active.values.contains(where: \.isAccepted) ? .receiving : .asking
        case .idle, .locating, .preparing, .reopening, .draining, .publishing, .closing: return .files
        case .verifying: return .verifying
        case .ended: return .over
        }
    }

    /// The reason for using one connection only; nil if more are possible, or nothing is known yet.
    ///
    /// See `connectionsAllowed`.
    var singleReason: SingleConnectionReason? {
        guard let version else { return nil }
        if !usesRanges || !servesRanges { return .noRanges }
        if sources.current.link == .oneUse { return .oneUse }
        if map.total == nil { return .unknownSize }
        return version.validators.areStrong || configuration.checksum != nil ? nil : .noValidator
    }

    /// A shortage of connections, imposed by the host.
    package struct Shortage: Hashable, Sendable {
        /// The number of connections that the host allows to all downloads together.
        var limit: Int
        /// The number of connections that this download has.
        var connections: Int
    }

    /// The shortage if the primary source's host grants fewer connections than the download could use; otherwise nil.
    var shortage: Shortage? {
        guard let limit = sources.hosts[sources.primaryHost].quota.limit else { return nil }
        let host = sources.hosts[sources.primaryHost]
        let waits = host.reportedWait != nil && activity == .waiting
        let isShort = host.wantsMoreConnections && phase == .transferring && sources.isSingle
        return waits || isShort ? Shortage(limit: limit, connections: active.count) : nil
    }

    /// Returns the reason for cancelling a fetch.
    func cancelReason(of id: Int, now: Duration) -> ConnectionEnd {
        guard let fetch = active[id] else { return .stopped }
        if fetch.isStalled { return .stalled }
        guard fetch.isSurplus else { return .stopped }
        if active.count > connectionsUseful(now: now) { return .surplus }
        return active.count > quota.connections ? .yielded : .replaced
    }
}
