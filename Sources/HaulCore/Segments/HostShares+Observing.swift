/// Trials of hosts and of changes, and what follows from them.
extension HostShares {
    /// The minimum time for which a division is measured.
    private static let minWindow: Duration = .milliseconds(400)
    /// The measuring time in multiples of the latency, which also passes before: new connections need some round trips
    /// to reach full speed.
    private static let windowLatencies = 4
    private static let maxSettling: Duration = .seconds(2)
    private static let far: Duration = .milliseconds(50)
    /// The measuring time after which the result of a change counts even if it is close.
    private static let longWindow: Duration = .seconds(2)
    /// The time after which connections count that have hardly delivered anything.
    private static let maxIrregular: Duration = .seconds(3)
    /// The maximum measuring time, so that different speeds are noticed.
    private static let maxWindow: Duration = .seconds(6)
    /// The time after which connections that do not deliver are ignored.
    private static let enoughSteady: Duration = .seconds(1)
    /// The time within which a change must take effect and be measured.
    private static let maxChange: Duration = .seconds(8)
    /// The error of a total throughput up to which it is compared.
    private static let smallError = 0.25
    /// A host is slower if its connections have less than this fraction of the speed of another host's.
    private static let asFast = 0.9
    /// The same before the speeds are known exactly.
    private static let farSlower = 0.6
    /// The fraction of the throughput before that fewer connections to a host must exceed to be worth it.
    private static let worth = 1.03
    /// The fraction of the throughput before that more connections to a host must reach: it is used if that costs
    /// nothing.
    private static let asMuch = 0.97
    /// The remaining time of the download that makes a change worthwhile, and that for another try of a slow host.
    private static let leftForChange = 0.5
    private static let leftForRetry = 10.0
    /// The time after which a host must have responded, and that for its first bytes or for an attempt at all.
    private static let patience: Duration = .seconds(1)
    private static let longPatience: Duration = .seconds(3)

    /// Evaluates the throughput of the hosts.
    ///
    /// - Parameters:
    ///   - left: The number of missing bytes.
    ///   - isFree: True if only the servers and the network limit the speed.
    package mutating func observe(_ hosts: [Host], left: Int64, isFree: Bool, now: Duration) {
        self.left = Double(left)
        admit(hosts, now: now)
        guard states.count == hosts.count, hosts.count > 1 else { return }
        let latency = hosts.map(\.latency).max() ?? .zero
        for index in hosts.indices { observeTrial(of: index, hosts[index], latency: latency, now: now) }
        let received = hosts.reduce(into: [:]) { $0.merge($1.received) { first, _ in first } }
        let silent = hosts.reduce(-received.count) { $0 + $1.connections }
        if !isFree || silent != self.silent || Set(received.keys) != Set(paces.keys) { restart(received, now: now) }
        self.silent = silent
        if let change, now >= change.until { undo(change, now: now) }
        let settling = latency < Self.far ? .zero : min(latency * 2, Self.maxSettling)
        guard isFree, silent == 0 || now - steadySince >= Self.enoughSteady, now - steadySince >= settling else {
            return
        }
        for (id, bytes) in received { paces[id]?.add(bytes, now: now) }
        judge(hosts, minimum: max(Self.minWindow, latency * Self.windowLatencies), now: now)
    }

    private mutating func restart(_ received: [Int: Int64]? = nil, now: Duration) {
        steadySince = now
        paces = (received.map { Array($0.keys) } ?? Array(paces.keys)).reduce(into: [:]) { $0[$1] = ConnectionPace() }
    }

    /// Ends the trial of a host that delivers, or that has not delivered in time.
    private mutating func observeTrial(of index: Int, _ host: Host, latency: Duration, now: Duration) {
        if !host.received.isEmpty, states[index].trial != .passed {
            states[index].trial = .passed
            states[index].share = max(states[index].share, .one)
            (triesAfter, pause) = (now, Self.firstPause)
        }
        if !host.isUsable, host.connections == 0, states[index].trial == .passed { states[index].share = .nothing }
        guard case .running(let since, let connected) = states[index].trial else { return }
        if let connected, host.connections > 0 {
            let short = max(Self.patience, latency * Self.windowLatencies)
            guard now - connected >= patience(host.hasResponded ? Self.longPatience : short, of: index) else { return }
        } else if host.connections > 0 {
            states[index].trial = .running(since: since, connected: now)
            return
        } else if connected == nil, host.isUsable, host.limit == 0, !host.isPausing {
            // It cannot be used before the first response.
            states[index].trial = .running(since: now, connected: nil)
            return
        } else {
            // It waits for bytes to compare, or for its next attempt.
            guard !host.isUsable || now - since >= patience(Self.longPatience, of: index) else {
                if connected != nil { states[index].trial = .running(since: since, connected: now) }
                return
            }
        }
        states[index].trial = .failed
        states[index].share = .nothing
        states[index].failedTrials += 1
        states[index].raisesAfter = now + pause
        guard host.isUsable else { return }
        triesAfter = now + pause
        pause = min(pause * 2, Self.maxRest)
        movesUntil = now + .seconds(1)
    }

    private func patience(_ patience: Duration, of index: Int) -> Duration {
        patience * (1 << min(states[index].failedTrials, 2))
    }

    /// The measured speeds of the hosts.
    private struct Speeds {
        /// In bytes per second and connection; nil for a host that does not deliver.
        var each: [ConnectionPace.Speed?]
        var total: ConnectionPace.Speed
    }

    private func speeds(_ hosts: [Host], minimum: Duration, now: Duration) -> Speeds? {
        var speeds = Speeds(each: [], total: ConnectionPace.Speed())
        for host in hosts {
            var sum = ConnectionPace.Speed()
            for id in host.received.keys {
                guard let speed = paces[id]?.speed(minimum: minimum, now: now) else { return nil }
                sum += speed
            }
            speeds.total += sum
            speeds.each.append(host.received.isEmpty ? nil : sum / host.received.count)
        }
        return speeds.total.value > 0 ? speeds : nil
    }

    private mutating func judge(_ hosts: [Host], minimum: Duration, now: Duration) {
        guard let speeds = speeds(hosts, minimum: minimum, now: now) else { return }
        let age = now - steadySince
        guard speeds.total.isRegular || age >= Self.maxIrregular else { return }
        if let change {
            guard hosts[change.host].connections == numbers(hosts)[change.host] else { return }
            return finish(change, speeds.total, isLast: age >= max(Self.longWindow, minimum * 2), now: now)
        }
        throughput = speeds.total.value
        let isTrying = isTrying(hosts, now: now)
        if left >= throughput * Self.leftForChange {
            if let (slow, fast, share) = tooSlow(hosts, speeds, isTrying: isTrying, now: now) {
                begin(share, at: slow, isLower: true, throughput, now: now)
                states[fast].share = .equal
                return
            }
            guard speeds.total.error <= Self.smallError else { return }
            if isTrying { return note(speeds, isLast: age >= Self.longWindow) }
            if let index = fastEnough(hosts, speeds, now: now) {
                let before = numbers(hosts)
                begin(.equal, at: index, isLower: false, throughput, now: now)
                // Nothing changes, because no more connections can be given to it.
                if numbers(hosts) == before { change = nil }
                return
            }
            if left >= throughput * Self.leftForRetry,
                let index = hosts.indices.first(where: { isDue($0, hosts[$0], now: now) })
            {
                return begin(.one, at: index, isLower: false, throughput, now: now)
            }
        }
        if age >= max(Self.maxWindow, minimum * 2) { restart(now: now) }
    }

    /// Records the hosts that are about as fast as others, or not clearly slower after a while.
    private mutating func note(_ speeds: Speeds, isLast: Bool) {
        for index in states.indices {
            guard let own = speeds.each[index] else { continue }
            let others = speeds.each.indices.filter { $0 != index }
            let fastest = others.compactMap { speeds.each[$0]?.value }.max() ?? 0
            if isLast || own.value >= Self.asFast * fastest { states[index].isJudged = true }
        }
    }

    /// Returns the slowest host of which a faster one can use connections, the fastest host, and the next share of the
    /// slow one.
    ///
    /// - Parameter isTrying: True if only hosts with one connection are considered.
    private func tooSlow(
        _ hosts: [Host], _ speeds: Speeds, isTrying: Bool, now: Duration
    ) -> (slow: Int, fast: Int, share: Share)? {
        func speed(_ index: Int) -> Double { speeds.each[index]?.value ?? 0 }
        let able = hosts.indices.filter { hosts[$0].limit > hosts[$0].connections }
        let slow = hosts.indices.filter { index in
            guard let own = speeds.each[index], states[index].share != .nothing, now >= states[index].lowersAfter,
                hosts[index].canReturn, !isTrying || states[index].share == .one
            else { return false }
            return able.contains { other in
                guard other != index, let speed = speeds.each[other] else { return false }
                if own.high < Self.asFast * speed.low { return true }
                return own.value < Self.farSlower * speed.value
            }
        }
        guard let index = slow.min(by: { speed($0) < speed($1) }),
            let fast = able.filter({ $0 != index }).max(by: { speed($0) < speed($1) })
        else { return nil }
        return (index, fast, states[index].share == .equal && hosts[index].connections > 1 ? .one : .nothing)
    }

    /// Returns a host with one connection that should have an equal share.
    private func fastEnough(_ hosts: [Host], _ speeds: Speeds, now: Duration) -> Int? {
        hosts.indices.first { index in
            guard states[index].share == .one, now >= states[index].raisesAfter, let own = speeds.each[index],
                hosts[index].limit > hosts[index].connections
            else { return false }
            let others = hosts.indices.filter { $0 != index && states[$0].share != .nothing }
            let fastest = others.compactMap { speeds.each[$0]?.value }.max() ?? 0
            return states[index].isComplement || own.value >= Self.asFast * fastest
        }
    }

    /// Returns true if a slow host should be tried again.
    private func isDue(_ index: Int, _ host: Host, now: Duration) -> Bool {
        states[index].share == .nothing && states[index].trial == .passed && host.connections == 0 && host.limit > 0
            && host.isUsable && now >= states[index].raisesAfter
    }

    private mutating func begin(
        _ share: Share, at host: Int, isLower: Bool, _ throughput: Double, now: Duration
    ) {
        change = Change(
            host: host, isLower: isLower, before: states.map(\.share), throughput: throughput,
            until: now + Self.maxChange)
        states[host].share = share
        states[host].isJudged = true
        states[host].isComplement = false
        restart(now: now)
    }

    /// Keeps the better one of two divisions, once it is clear which one that is.
    private mutating func finish(_ change: Change, _ speed: ConnectionPace.Speed, isLast: Bool, now: Duration) {
        let wanted = change.throughput * (change.isLower ? Self.worth : Self.asMuch)
        guard isLast || speed.low >= wanted || speed.high < wanted else { return }
        guard speed.value >= wanted else {
            undo(change, now: now)
            // The others are at their limits: more connections to this host may add to them.
            if change.isLower, change.before[change.host] == .one, speed.value < change.throughput {
                (states[change.host].isComplement, states[change.host].raisesAfter) = (true, now)
            }
            return
        }
        self.change = nil
        throughput = speed.value
        if change.isLower {
            states[change.host].raisesAfter = rest(of: change.host, now: now)
            if states[change.host].share == .nothing { triesAfter = max(triesAfter, now + Self.slowPause) }
        } else {
            states[change.host].lowersAfter = now + Self.firstRest
        }
    }

    private mutating func undo(_ change: Change, now: Duration) {
        let until = rest(of: change.host, now: now)
        for (index, share) in change.before.enumerated() { states[index].share = share }
        if change.isLower {
            states[change.host].lowersAfter = until
        } else {
            states[change.host].raisesAfter = until
        }
        self.change = nil
        movesUntil = now + .seconds(1)
        restart(now: now)
    }

    /// Returns the time until which a host's share stays, and doubles the next pause.
    private mutating func rest(of host: Int, now: Duration) -> Duration {
        defer { states[host].rest = min(states[host].rest * 2, Self.maxRest) }
        return now + states[host].rest
    }
}
