/// The properties that `TransferRecording` reads from the machine.
extension DownloadMachine {
    /// The activity that the current time is attributed to.
    var activity: TransferActivity {
        switch phase {
        case .probing, .proving, .transferring:
            if fetches.isEmpty { return .waiting }
            return !fetches.accepted.isEmpty ? .receiving : .asking
        case .describing: return .asking
        case .idle, .locating, .preparing, .reopening, .draining, .publishing, .closing: return .files
        case .verifying: return .verifying
        case .ended: return .over
        }
    }

    /// The reason for using one connection only; nil if more are possible, or nothing is known yet.
    ///
    /// See `connectionsAllowed`.
    var singleReason: SingleConnectionReason? {
        let source = sources[sources.primary]
        guard let version = source.version else { return nil }
        if !source.usesRanges || !source.servesRanges { return .noRanges }
        if source.link == .oneUse { return .oneUse }
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
        let isShort = host.wantsMoreConnections && phase == .transferring && !sources.mayMix
        return waits || isShort ? Shortage(limit: limit, connections: fetches.count) : nil
    }

    /// Returns the reason for cancelling a fetch.
    func cancelReason(of id: Int, now: Duration) -> ConnectionEnd {
        switch fetches[id]?.cancellation {
        case nil, .tooSlow: return .stopped
        case .stalled: return .stalled
        case .moved: return .moved
        case .surplus: break
        }
        if fetches.count > connectionsUseful(now: now) { return .surplus }
        return fetches.count > sources.quota(of: sources.primary).connections ? .yielded : .replaced
    }
}
