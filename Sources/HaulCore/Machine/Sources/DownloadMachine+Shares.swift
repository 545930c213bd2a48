/// The division of the connections among the hosts of several sources.
extension DownloadMachine {
    /// The time after which a connection that another host should have is given up, although no division is being
    /// tried.
    private static let minAge: Duration = .seconds(3)
    /// The time without a response after which a connection that is given up counts as failed.
    private static let enoughSilence: Duration = .seconds(4)

    /// Returns the number of connections that each host should have.
    mutating func numbersOfHosts(now: Duration) -> [Int] {
        let hosts = shareHosts(now: now)
        sources.shares.admit(hosts, now: now)
        return sources.shares.numbers(hosts)
    }

    /// Evaluates the division.
    mutating func observeShares(left: Int64, now: Duration) {
        guard sources.mayMix, phase == .transferring else { return }
        sources.shares.observe(
            shareHosts(now: now), left: left, isFree: !fetches.isHeldBack, now: now)
    }

    /// Gives up the newest connections of hosts that have more than their share, so that others get theirs.
    ///
    /// What they have delivered is kept.
    mutating func moveConnections(now: Duration) {
        guard sources.mayMix, phase == .transferring, !fetches.isTakingOver else { return }
        let isMoving = sources.shares.isMoving(now: now)
        for (number, count) in sources.shares.surplus(shareHosts(now: now)).enumerated() where count > 0 {
            let own = fetches.all.filter {
                sources[$0.source].hostNumber == number && (isMoving || now - $0.began >= Self.minAge)
            }
            for fetch in own.suffix(count) where fetch.cancellation == nil {
                let isFailed = fetch.response == .awaited && now - fetch.began >= Self.enoughSilence
                cancel(fetch.id, as: isFailed ? .stalled : .moved)
            }
        }
    }

    private func shareHosts(now: Duration) -> [HostShares.Host] {
        var hosts = Array(repeating: HostShares.Host(), count: sources.hosts.count)
        for number in hosts.indices {
            (hosts[number].limit, hosts[number].isUsable, hosts[number].isPausing) = (0, false, true)
        }
        for fetch in fetches.all { add(fetch, to: &hosts[sources[fetch.source].hostNumber]) }
        var priorities: [Int: Int] = [:]
        for id in sources.ids {
            let source = sources[id]
            let number = source.hostNumber
            if source.hasReceived { hosts[number].hasResponded = true }
            guard isPromising(id, now: now) else { continue }
            hosts[number].isUsable = true
            priorities[number] = min(priorities[number] ?? .max, source.priority)
            guard source.notBefore <= now else { continue }
            hosts[number].isPausing = false
            guard isEligible(id) else { continue }
            let limit = usefulRoom(at: id, now: now) + connections(atHost: number)
            hosts[number].limit = max(hosts[number].limit, limit)
        }
        for number in hosts.indices {
            hosts[number].priority = priorities[number] ?? .max
            hosts[number].limit = max(hosts[number].connections, hosts[number].limit)
        }
        return hosts
    }

    private func add(_ fetch: ActiveFetch, to host: inout HostShares.Host) {
        host.connections += 1
        if fetch.isAccepted {
            host.latency = max(host.latency, fetch.latency)
            if fetch.received > 0, !fetch.plan.isProof, !fetch.plan.isBackup {
                host.received[fetch.id] = fetch.received
            }
        }
        // A link that is valid for one request cannot be requested again.
        let source = sources[fetch.source]
        if source.link != .good || source.responseCount < 2 && fetch.source == sources.primary {
            host.canReturn = false
        }
    }
}
