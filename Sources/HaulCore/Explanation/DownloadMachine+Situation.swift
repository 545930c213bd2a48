/// What a record of the run takes from the machine.
extension DownloadMachine {
    /// What it is busy with.
    var activity: TransferActivity {
        switch phase {
        case .probing, .proving, .transferring:
            if fetches.isEmpty { return .waiting }
            return !fetches.accepted.isEmpty ? .receiving : .asking
        case .idle, .locating, .preparing, .reopening, .draining, .publishing, .closing: return .files
        case .verifying: return .verifying
        case .ended: return .over
        }
    }

    /// Why it must do with one connection; nil where it may have more, or nothing is known yet.
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

    /// Connections that a host does not grant.
    package struct Shortage: Hashable, Sendable {
        /// What it allows to all downloads together.
        var limit: Int
        /// What this one has of it.
        var connections: Int
    }

    /// What it has where it has work for more connections than the lead's host grants; nil where it has all that it wants.
    var shortage: Shortage? {
        guard let limit = sources.hosts[sources.primaryHost].quota.limit else { return nil }
        let host = sources.hosts[sources.primaryHost]
        let waits = host.reportedWait != nil && activity == .waiting
        let isShort = host.wantsMoreConnections && phase == .transferring && !sources.mayMix
        return waits || isShort ? Shortage(limit: limit, connections: fetches.count) : nil
    }

    /// Why a fetch is being cancelled.
    func cancelReason(of id: Int, now: Duration) -> ConnectionEnd {
        switch fetches[id]?.cancellation {
        case nil, .tooSlow: return .stopped
        case .stalled: return .stalled
        case .surplus: break
        }
        if fetches.count > connectionsUseful(now: now) { return .surplus }
        return fetches.count > sources.quota(of: sources.primary).connections ? .yielded : .replaced
    }
}
