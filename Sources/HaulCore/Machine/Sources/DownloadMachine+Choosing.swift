/// Selection among several sources.
///
/// `HostShares` determines the number of connections for each host. Within that, the best priority comes first; among
/// equal priorities, the source with the highest expected gain from another connection.
extension DownloadMachine {
    /// Assigns work to idle connections, each to the most suitable source.
    mutating func proceedAmongSources(now: Duration) {
        guard !fetches.isTakingOver else { return }
        var passed: Set<SourceID> = []
        assign(numbersOfHosts(now: now), &passed, now: now)
        // If the hosts that should have the connections cannot use any, the others can.
        if fetches.isEmpty { assign(nil, &passed, now: now) }
        guard fetches.isEmpty, !passed.isEmpty else { return }
        // If none of the available sources can ever prove to have the same file, the download would wait forever.
        let isStuck = sources.usable.allSatisfy { !isEligible($0) || mustProve($0) && comparable(with: $0) == nil }
        if isStuck { drain(.restart, now: now) }
    }

    /// Assigns work to the sources of hosts that have fewer than these numbers of connections, except those that have
    /// passed; nil means any number.
    private mutating func assign(_ numbers: [Int]?, _ passed: inout Set<SourceID>, now: Duration) {
        while fetches.count < configuration.transfer.connections.maximum,
            let id = nextSource(numbers, except: passed, now: now)
        {
            if mustProve(id) {
                guard let range = comparable(with: id) else {
                    passed.insert(id)
                    continue
                }
                startComparison(of: range, with: id, now: now)
                continue
            }
            let seats = sources.ids.reduce(0) {
                $0 + max(0, isCandidate($1, now: now) ? room(at: $1, numbers, now: now) : 0)
            }
            let idle = min(configuration.transfer.connections.maximum - fetches.count, seats)
            switch planner.next(map, active: working, idle: idle) {
            case .fetch(let segment) where lacksProof(for: segment, at: id): passed.insert(id)
            case .fetch(let segment): startFetch(segment: segment, from: id, now: now)
            case .takeOver(let segment, let offset):
                guard takeOver(segment, at: offset) else { return }
            case nil: guard coverTail(from: id, now: now) else { return }
            }
        }
    }

    var working: [SegmentPlanner.Active] {
        fetches.all.compactMap { fetch in
            fetch.segment.map { SegmentPlanner.Active(segment: $0, speed: fetch.isAccepted ? fetch.meter.speed : 0) }
        }
        .sorted { $0.segment < $1.segment }
    }

    /// Returns the source for the next fetch, or nil if none is available now.
    private func nextSource(_ numbers: [Int]?, except passed: Set<SourceID>, now: Duration) -> SourceID? {
        let suspects = suspects()
        let known = sources.ids.map { sources[$0].speed }.filter { $0 > 0 }
        let typical = known.isEmpty ? 1 : known.reduce(0, +) / Double(known.count)
        func gain(_ id: SourceID) -> Double {
            let speed = sources[id].speed > 0 ? sources[id].speed : typical
            return speed / Double(1 + fetches.count(from: id))
        }
        func comesFirst(_ first: SourceID, _ second: SourceID) -> Bool {
            let a = (suspects.contains(first) ? 1 : 0, sources[first].slowUntil > now ? 1 : 0, sources[first].priority)
            let b = (
                suspects.contains(second) ? 1 : 0, sources[second].slowUntil > now ? 1 : 0, sources[second].priority
            )
            if a != b { return a < b }
            let (gainOfFirst, gainOfSecond) = (gain(first), gain(second))
            return gainOfFirst == gainOfSecond ? first < second : gainOfFirst > gainOfSecond
        }
        return sources.ids.filter {
            // A corrupt piece is fetched from another source, however slow it is.
            !passed.contains($0) && isCandidate($0, now: now)
                && room(at: $0, suspects.isEmpty ? numbers : nil, now: now) > 0
        }
        .min(by: comesFirst)
    }

    /// Returns the sources that delivered corrupt bytes in the range of the next fetch.
    private func suspects() -> Set<SourceID> {
        guard !sources.suspects.isEmpty,
            let next = map.unfinished.first(where: { segment in !fetches.fills(segment.id) }),
            let end = map.end(of: next.id)
        else { return [] }
        let range = ByteRange(from: next.position, to: end)
        return Set(sources.suspects.filter { range.without($0.range) != [range] }.map(\.source))
    }

    /// Returns true if a source may be used now.
    private func isCandidate(_ id: SourceID, now: Duration) -> Bool {
        sources[id].notBefore <= now && isEligible(id) && isPromising(id, now: now)
            && !fetches.all.contains { $0.source == id && $0.plan.isProof }
    }

    /// Returns true if a source may be used, now or later.
    ///
    /// A source without a strong validator is used only if no better one is available, unless a checksum verifies the
    /// whole file at the end.
    func isPromising(_ id: SourceID, now: Duration) -> Bool {
        guard sources.isUsable(id) else { return false }
        guard !configuration.isVouchedFor, sources[id].version != nil, !sources[id].revealsVersions else { return true }
        return !sources.usable.contains {
            $0 != id && isFirm($0) && sources[$0].revealsVersions && sources[$0].notBefore <= now
        }
    }

    /// Returns true if a source can be judged: before the primary source has responded, the others cannot.
    func isEligible(_ id: SourceID) -> Bool {
        id == sources.primary || isFirm(id) || isFirm(sources.primary) && map.total != nil
    }

    /// Returns true if a response of a source was accepted in this run, and its bytes may be joined with the existing ones.
    func isFirm(_ id: SourceID) -> Bool { sources[id].isTrusted && sources[id].responseCount > 0 }

    /// Returns true if a source must prove that it has the same file before any of its bytes is used.
    func mustProve(_ id: SourceID) -> Bool {
        if !sources[id].provesOffsets, map.written > 0 { return true }
        return !configuration.isVouchedFor && !sources[id].isTrusted && (map.written > 0 || id != sources.primary)
    }

    /// Returns the number of additional connections that a source may have.
    private func room(at id: SourceID, _ numbers: [Int]?, now: Duration) -> Int {
        let number = sources[id].hostNumber
        guard let numbers else { return usefulRoom(at: id, now: now) }
        return min(usefulRoom(at: id, now: now), numbers[number] - connections(atHost: number))
    }

    /// Returns the same number without regard to other hosts.
    func usefulRoom(at id: SourceID, now: Duration) -> Int {
        let source = sources[id]
        let atHost = connections(atHost: source.hostNumber)
        let granted = sources.hosts[source.hostNumber].quota.connections - atHost
        guard source.maxConnections > 1, source.revealsVersions || configuration.isVouchedFor else {
            return min(granted, 1 - fetches.count(from: id))
        }
        return min(granted, min(sources[governorOf: id].allowed(now: now), source.maxConnections) - atHost)
    }

    /// Measures the benefit of additional connections, separately for each host.
    mutating func observeHosts(now: Duration) {
        let delivering = fetches.accepted.filter { $0.received > 0 && !$0.plan.isBackup }
        let left = map.total.map { $0 - map.written } ?? .max
        observeShares(left: left, now: now)
        var seen: Set<URLOrigin> = []
        for id in sources.ids {
            let speeds = delivering.filter { $0.plan.source == id && !$0.plan.isProof }.map(\.meter.speed).filter {
                $0 > 0
            }
            if !speeds.isEmpty { sources[id].speed = speeds.reduce(0, +) / Double(speeds.count) }
            let host = sources[id].host
            guard seen.insert(host).inserted else { continue }
            let own = delivering.filter { sources[$0.plan.source].host == host }
            let received = sources.ids.filter { sources[$0].host == host }.reduce(0) { $0 + sources[$1].bytes }
            sources[governorOf: id].observe(
                received: received, left: left, active: own.count, latency: own.map(\.latency).max() ?? .zero,
                isFree: mayLook(atHost: sources[id].hostNumber, now: now) && isAlone(host, now: now), now: now)
        }
    }

    /// Returns true if trying more connections can be informative: the speed is limited only by the server and the
    /// network.
    private func mayLook(atHost number: Int, now: Duration) -> Bool {
        let quota = sources.hosts[number].quota
        return !quota.isShared && quota.limit == nil && !fetches.isHeldBack
    }

    /// Returns true if no other host is available.
    ///
    /// Otherwise fewer connections to one host are more to another, so that their benefit is not visible.
    private func isAlone(_ host: URLOrigin, now: Duration) -> Bool {
        !sources.ids.contains { sources[$0].host != host && isPromising($0, now: now) }
    }

    /// Returns the newest connections of each host that are beyond the useful number, or beyond the quota left by other
    /// downloads.
    func surplusAmongSources(now: Duration) -> [Int] {
        sources.hosts.indices.flatMap { number -> [Int] in
            let own = fetches.all.filter { sources[$0.plan.source].hostNumber == number && !$0.plan.isProof }
                .map(\.plan.id)
            var allowed = max(1, sources.hosts[number].quota.connections)
            if case .automatic = configuration.transfer.connections {
                allowed = min(allowed, sources.hosts[number].governor.allowed(now: now))
            }
            return own.sorted().suffix(max(0, own.count - allowed))
        }
        .sorted()
    }
}
