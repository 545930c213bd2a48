/// The quotas that hosts grant beside other downloads of the same engine, and the reports to the hosts' governors.
extension DownloadMachine {
    /// The hosts of its sources.
    ///
    /// Events and effects name a host by its index in this list, which only grows.
    package var hosts: [URLOrigin] { sources.hosts.map(\.origin) }

    /// The number of consecutive refusals that do not count as failures although the other downloads had fewer
    /// connections than the host has served before.
    private static let oddRefusalsForgiven = 5

    /// The latency from which a host counts as distant.
    private static let far: Duration = .milliseconds(10)
    /// The number of remaining bytes from which a file counts as large.
    private static let large: Int64 = 8 << 20
    /// The number of remaining bytes from which two connections are faster than one, even on the local machine.
    private static let huge: Int64 = 64 << 20
    /// The time for which the first connection is measured before others are added.
    private static let firstLook: Duration = .milliseconds(50)
    /// A speed in bytes per second.
    ///
    /// A network path that is this fast for one connection has no limit per connection.
    private static let asFastAsTheMachine = 256e6

    /// Handles a changed quota of a host.
    mutating func didReceive(_ quota: ConnectionQuota, ofHost number: Int, now: Duration) {
        guard sources.hosts.indices.contains(number) else { return }
        sources.hosts[number].quota = quota
        if let optimum = quota.optimum { sources.hosts[number].governor.start(at: optimum) }
        switch phase.requests {
        case .first:
            guard fetches.isEmpty else { return }
            choosePrimary(now: now)
            probe(now: now)
        case .proof, .segments, nil: tryAgain(now: now)
        }
    }

    /// Opens all useful connections to a host that no other download uses, once a response shows that they can help.
    ///
    /// A distant host costs round trips, so a large file waits only for the head of the first response. With a near
    /// host, the first connection is measured for a moment: a small file is complete by then, and more than two
    /// connections do not help if one is as fast as the machine.
    mutating func startSeveral(now: Duration) {
        guard let total = map.total else { return }
        for number in sources.hosts.indices {
            let quota = sources.hosts[number].quota
            let mine = fetches.accepted.filter { sources[$0.source].hostNumber == number }
            guard !quota.isShared, quota.optimum == nil,
                let first = mine.min(by: { $0.plan.id < $1.plan.id })
            else { continue }
            let age = now - first.began - first.latency
            let left = total - map.written
            let isFar = first.latency >= Self.far && left >= Self.large
            let isSlow =
                !fetches.isHeldBack && age >= Self.firstLook
                && Double(first.received) < age.seconds * Self.asFastAsTheMachine
            if isFar || isSlow {
                sources.hosts[number].governor.startAtLimit(now: now)
            } else if left >= Self.huge {
                sources.hosts[number].governor.startWithTwo(now: now)
            }
        }
    }

    func connections(atHost number: Int) -> Int {
        fetches.all.count { sources[$0.plan.source].hostNumber == number }
    }

    /// Returns true if a source may be used as far as other downloads from its host are concerned.
    func hasTargetPath(at id: SourceID) -> Bool {
        let number = sources[id].hostNumber
        return connections(atHost: number) < sources.hosts[number].quota.connections
    }

    /// Returns the same.
    ///
    /// If it may not, and the download is idle meanwhile, the reason for waiting is reported once.
    mutating func hasTargetPath(at source: SourceID, now: Duration) -> Bool {
        let number = sources[source].hostNumber
        guard !hasTargetPath(at: source) else {
            sources.hosts[number].reportedWait = nil
            return true
        }
        let quota = sources.hosts[number].quota
        let until = max(now, quota.fullUntil ?? now)
        if fetches.isEmpty, sources.hosts[number].reported.wanted > 0,
            sources.hosts[number].reportedWait.map({ until > $0 && until > now }) ?? true
        {
            sources.hosts[number].reportedWait = until
            let reason = WaitReason.connections(host: sources.hosts[number].origin.host, limit: quota.limit ?? 0)
            effects.append(.emit(.waiting(reason, seconds: (until - now).seconds)))
        }
        return false
    }

    /// Waits for a connection slot after a refusal while other downloads use the host.
    ///
    /// That is not a failure and uses up no attempt.
    ///
    /// If the other downloads have fewer connections than the host has served before, they explain only a few refusals.
    /// After those, the file itself is considered unavailable.
    ///
    /// - Returns: False if the refusal is not a matter of connection slots.
    mutating func waitForPlace(_ fetch: ActiveFetch, _ status: Int?, after wait: Duration?, now: Duration) -> Bool {
        let source = fetch.source
        let number = sources[source].hostNumber
        let quota = sources.hosts[number].quota
        let mustRestart =
            phase == .transferring && (!sources[source].usesRanges || map.total == nil || map.written == 0)
        guard quota.isShared, !fetch.isAccepted, connections(atHost: number) == 0,
            !mustRestart || configuration.streamWindow == nil || map.written == 0
        else { return false }
        if !quota.isFull {
            guard sources.hosts[number].oddRefusals < Self.oddRefusalsForgiven else { return false }
            sources.hosts[number].oddRefusals += 1
        }
        // Applies until the host's governor has processed the report.
        sources.hosts[number].quota.connections = 0
        reportRefusal(of: source, after: wait)
        if let wait, let status, wait > .zero {
            sources[source].wait(until: now + wait)
            let seconds = (sources[source].notBefore - now).seconds
            effects.append(.emit(.waiting(.serverAsked(status: status), seconds: seconds)))
        }
        if sources.hasAlternative(to: source), turnToOthers(from: source, now: now) { return true }
        if mustRestart { requestWhole(now: now) }
        return true
    }

    /// Reports a refused connection to the host of a source.
    mutating func reportRefusal(of source: SourceID, after wait: Duration?) {
        let number = sources[source].hostNumber
        effects.append(.host(number, .refused(left: connections(atHost: number), retryAfter: wait)))
    }

    /// Returns true if, with a lone source, there is work for more connections than the host's quota allows.
    func wantsMoreConnections(_ allowed: Int, now: Duration) -> Bool {
        allowed < connectionsUseful(now: now) && planner.next(map, active: working, idle: 1, within: horizon) != nil
    }

    /// Reports its use to each host for which that has changed.
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
        for fetch in fetches.all where sources[fetch.plan.source].hostNumber == number {
            use.connections += 1
            if fetch.isAccepted { use.delivering += 1 }
        }
        use.wanted = max(use.connections, wanted(atHost: number, use.connections, now: now))
        return use
    }

    private func wanted(atHost number: Int, _ connections: Int, now: Duration) -> Int {
        // A download that pauses or checks files needs no reserved slot.
        let pauses = connections == 0 && now < sources.primaryNotBefore
        switch phase {
        case .draining(let next) where !next.fetches: return 0
        case .probing, .preparing, .proving, .describing, .reopening, .draining:
            return sources.primaryHost == number && !pauses ? 1 : 0
        case .transferring where map.isComplete: return hostToLookAt(now: now) == number ? 1 : 0
        case .transferring where sources.mayMix: return connections + 1
        case .transferring where pauses: return 0
        case .transferring:
            if sources.hosts[number].wantsMoreConnections { return connectionsUseful(now: now) }
            return fetches.isTakingOver ? connections + 1 : 1
        case .idle, .locating, .verifying, .publishing, .closing, .ended: return 0
        }
    }
}
