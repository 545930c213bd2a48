/// What the hosts grant beside other downloads of the same engine, and what they are told.
extension DownloadMachine {
    /// The hosts of its sources: events and effects name a host by the place in this list, which only grows.
    package var hosts: [URLOrigin] { sources.hosts.map(\.origin) }

    /// So many refusals in a row are no failure although the others had fewer connections than the host has served before.
    private static let oddRefusalsForgiven = 5

    /// A host that takes this long to answer is far away.
    private static let far: Duration = .milliseconds(10)
    /// How much is left of a large file, in bytes.
    private static let large: Int64 = 8 << 20
    /// How much is left of a file that two connections bring faster than one, even from this machine.
    private static let huge: Int64 = 64 << 20
    /// How long one connection is watched before it is joined by others.
    private static let firstLook: Duration = .milliseconds(50)
    /// Bytes per second; a line that gives one connection so much has no limit for each.
    private static let asFastAsTheMachine = 256e6

    /// What the host of the source in focus grants.
    var quota: ConnectionQuota { sources.hosts[sources.current.hostNumber].quota }

    /// A host grants more or less than before.
    mutating func didReceive(_ quota: ConnectionQuota, ofHost number: Int, now: Duration) {
        guard sources.hosts.indices.contains(number) else { return }
        sources.hosts[number].quota = quota
        if let optimum = quota.optimum { sources.hosts[number].governor.start(at: optimum) }
        switch phase {
        case .probing:
            guard active.isEmpty else { return }
            choosePrimary(now: now)
            probe(now: now)
        case .proving: continueProving(now: now)
        case .transferring: proceed(now: now)
        case .idle, .locating, .preparing, .reopening, .draining, .verifying, .publishing, .closing, .ended: return
        }
    }

    /// Takes all connections of a host that the download has for itself, once an answer shows that they can be of use.
    ///
    /// A host that is far away costs round trips, so a large file does not wait for more than the head of the first answer. Of a near one
    /// it sees for a moment first what one connection brings: a small file is there by then, and more than two do not help if one is as
    /// fast as the machine.
    mutating func startSeveral(now: Duration) {
        guard let total = map.total else { return }
        for number in sources.hosts.indices {
            let quota = sources.hosts[number].quota
            let mine = active.values.filter { sources[$0.plan.source].hostNumber == number && $0.isAccepted }
            guard !quota.isShared, quota.optimum == nil,
                let first = mine.min(by: { $0.plan.id < $1.plan.id })
            else { continue }
            let age = now - first.began - first.latency
            let left = total - map.written
            let isFar = first.latency >= Self.far && left >= Self.large
            let isSlow =
                !isHeldBack(now: now) && age >= Self.firstLook
                && Double(first.received) < age.seconds * Self.asFastAsTheMachine
            if isFar || isSlow {
                sources.hosts[number].governor.startAtLimit(now: now)
            } else if left >= Self.huge {
                sources.hosts[number].governor.startWithTwo(now: now)
            }
        }
    }

    func connections(atHost number: Int) -> Int {
        sources.isSingle ? active.count : active.values.count { sources[$0.plan.source].hostNumber == number }
    }

    /// Whether a source may be asked as far as other downloads of its host are concerned.
    func hasTargetPath(at id: Int) -> Bool {
        let number = sources[id].hostNumber
        return connections(atHost: number) < sources.hosts[number].quota.connections
    }

    /// The same for the source in focus; where nothing at all can be done meanwhile, it tells once what is waited for.
    mutating func hasTargetPath(now: Duration) -> Bool {
        let number = sources.current.hostNumber
        guard !hasTargetPath(at: sources.focus) else {
            sources.hosts[number].reportedWait = nil
            return true
        }
        let quota = sources.hosts[number].quota
        let until = max(now, quota.fullUntil ?? now)
        if active.isEmpty, sources.hosts[number].reported.wanted > 0,
            sources.hosts[number].reportedWait.map({ until > $0 && until > now }) ?? true
        {
            sources.hosts[number].reportedWait = until
            let reason = WaitReason.connections(host: sources.hosts[number].origin.host, limit: quota.limit ?? 0)
            effects.append(.emit(.waiting(reason, seconds: (until - now).seconds)))
        }
        return false
    }

    /// Refused while other downloads of the host are at work: it waits for a place, which is no failure and uses up no try.
    ///
    /// Where those others have fewer connections than the host has served before, they explain a few refusals only: then it is this file
    /// that can't be had.
    ///
    /// - Returns: false where it is no matter of places.
    mutating func waitForPlace(_ fetch: ActiveFetch, _ status: Int?, after wait: Duration?, now: Duration) -> Bool {
        let number = sources.current.hostNumber
        let quota = sources.hosts[number].quota
        let mustRestart = phase == .transferring && (!usesRanges || map.total == nil || map.written == 0)
        guard quota.isShared, !fetch.isAccepted, connections(atHost: number) == 0,
            !mustRestart || configuration.streamWindow == nil || map.written == 0
        else { return false }
        if !quota.isFull {
            guard sources.hosts[number].oddRefusals < Self.oddRefusalsForgiven else { return false }
            sources.hosts[number].oddRefusals += 1
        }
        // Until the host's governor has heard of it.
        sources.hosts[number].quota.connections = 0
        reportRefusal(after: wait)
        if let wait, let status, wait > .zero {
            notBefore = max(notBefore, now + wait)
            effects.append(.emit(.waiting(.serverAsked(status: status), seconds: (notBefore - now).seconds)))
        }
        if !sources.isSingle, turnToOthers(now: now) { return true }
        if mustRestart { drain(.restart, now: now) }
        return true
    }

    /// Tells the host of the source in focus that a connection was refused.
    mutating func reportRefusal(after wait: Duration?) {
        let number = sources.current.hostNumber
        effects.append(.host(number, .refused(left: connections(atHost: number), retryAfter: wait)))
    }

    /// With one source: whether there is work for more connections than the host grants.
    func wantsMoreConnections(_ allowed: Int, now: Duration) -> Bool {
        allowed < connectionsUseful(now: now) && planner.next(map, active: working, idle: 1, within: horizon) != nil
    }

    /// Tells each host what it is used for, where that has changed.
    mutating func reportToHosts(now: Duration) {
        for number in sources.hosts.indices {
            let use = use(ofHost: number, now: now)
            if use != sources.hosts[number].reported {
                sources.hosts[number].reported = use
                effects.append(.host(number, .uses(use)))
            }
            let optimum = sources.hosts[number].governor.optimum
            if let optimum, optimum != sources.hosts[number].reportedOptimum {
                sources.hosts[number].reportedOptimum = optimum
                effects.append(.host(number, .optimum(optimum)))
            }
        }
    }

    private func use(ofHost number: Int, now: Duration) -> HostUse {
        var use = HostUse()
        for fetch in active.values where sources.isSingle || sources[fetch.plan.source].hostNumber == number {
            use.connections += 1
            if fetch.isAccepted { use.delivering += 1 }
        }
        use.wanted = max(use.connections, wanted(atHost: number, use.connections, now: now))
        return use
    }

    private func wanted(atHost number: Int, _ connections: Int, now: Duration) -> Int {
        // Nobody has to leave a place free for one that pauses, or looks at files.
        let pauses = connections == 0 && now < sources.primaryNotBefore
        switch phase {
        case .probing, .preparing, .proving, .reopening, .draining(.restart), .draining(.resume), .draining(.prove):
            return sources.primaryHost == number && !pauses ? 1 : 0
        case .transferring where map.isComplete: return 0
        case .transferring where !sources.isSingle: return connections + 1
        case .transferring where pauses: return 0
        case .transferring:
            if sources.hosts[number].wantsMoreConnections { return connectionsUseful(now: now) }
            return pendingTakeOver == nil ? 1 : connections + 1
        case .idle, .locating, .draining, .verifying, .publishing, .closing, .ended: return 0
        }
    }
}
