/// Divides the connections of one download among the hosts of its sources.
///
/// A further host begins with one connection. If that is about as fast as those of the others, no host gets more than
/// half of the connections; if it is clearly slower, the connection goes to a faster host. A host that is limited in
/// total, and not per connection, has slow connections only because it has many: so each change is a trial. The total
/// throughput before and after it is compared, and a change that did not pay off is undone, and not tried again for a
/// while. Time is passed in.
package struct HostShares: Hashable, Sendable {
    /// The state of a host at one instant.
    package struct Host: Hashable, Sendable {
        /// The best priority of its sources.
        package var priority = 1
        /// The number of open requests.
        package var connections = 0
        /// The number of bytes received by those that have delivered bytes of the file, by their ids.
        package var received: [Int: Int64] = [:]
        /// The maximum number of connections that it can have now.
        package var limit = Int.max
        /// True if one of its sources may be used, now or later.
        package var isUsable = true
        /// True if all of those pause after a failure.
        package var isPausing = false
        /// True if it has sent any response.
        package var hasResponded = false
        /// True if a connection that is given up can be opened again.
        package var canReturn = true
        /// The longest time from a request to the response.
        package var latency: Duration = .zero

        /// Creates the state of a host that has no connection.
        package init() {}
    }

    /// The share of a host.
    enum Share: Int, Hashable, Sendable, Comparable {
        /// Only connections that no other host can use.
        case nothing
        /// One connection.
        case one
        /// The same number of connections as others with this share, and not more than half if there are others.
        case equal

        static func < (first: Share, second: Share) -> Bool { first.rawValue < second.rawValue }
    }

    /// The progress of a host that has not delivered anything yet.
    enum Trial: Hashable, Sendable {
        /// It has not been tried.
        case waiting
        /// One connection is reserved for it; `connected` is the time since which it has one.
        case running(since: Duration, connected: Duration?)
        /// It did not deliver in time.
        case failed
        /// It has delivered.
        case passed
    }

    /// The state of a host as far as it is known.
    struct State: Hashable, Sendable {
        var share = Share.one
        var trial = Trial.waiting
        var failedTrials = 0
        /// The time before which the share is not reduced.
        var lowersAfter: Duration = .zero
        /// The time before which the share is not increased.
        var raisesAfter: Duration = .zero
        /// True if its speed has been compared with that of the others.
        var isJudged = false
        /// The pause after the next change that does not pay off.
        var rest = HostShares.firstRest
        /// True if connections that it gave up were of no use to the other hosts.
        var isComplement = false

        /// True if it is being tried.
        var isRunning: Bool { if case .running = trial { true } else { false } }
    }

    /// A change of a host's share whose effect is being measured.
    struct Change: Hashable, Sendable {
        var host: Int
        /// True if the host gets fewer connections.
        var isLower: Bool
        /// The shares of all hosts before.
        var before: [Share]
        /// The total throughput before, in bytes per second.
        var throughput: Double
        /// The time at which it is undone if its effect cannot be measured by then.
        var until: Duration
    }

    let total: Int
    var states: [State] = []
    var change: Change?
    /// The speeds of the delivering connections, by their ids.
    var paces: [Int: ConnectionPace] = [:]
    /// The number of connections that do not deliver yet.
    var silent = 0
    /// The time since which the connections are the same.
    var steadySince: Duration = .zero
    /// The time until which connections are moved at once, however young they are.
    var movesUntil: Duration = .zero
    /// The time before which no other host is tried, and the next pause of this kind.
    var triesAfter: Duration = .zero
    var pause = HostShares.firstPause
    /// The last total throughput in bytes per second; 0 while unknown.
    var throughput = 0.0
    /// The number of missing bytes.
    var left = Double.infinity

    /// The pause after a change that did not pay off, or before a slow host is tried again; doubles each time.
    static let firstRest: Duration = .seconds(10)
    /// The pause after a host that did not deliver anything; doubles each time.
    static let firstPause: Duration = .seconds(10)
    static let maxRest: Duration = .seconds(60)
    /// The remaining time of the download, in seconds, that makes the trial of a host worthwhile.
    static let leftForTrial = 3.0
    /// The pause after a host that was slower than the others.
    static let slowPause: Duration = .seconds(3)

    /// Creates the shares of `total` connections.
    package init(total: Int) { self.total = max(1, total) }

    /// The most connections of a host while another one has the same share.
    var half: Int { (total + 1) / 2 }

    /// Reserves a connection for the next hosts that have not delivered anything yet.
    package mutating func admit(_ hosts: [Host], now: Duration) {
        while states.count < hosts.count { states.append(State()) }
        if !hosts.indices.contains(where: { states[$0].share == .equal && isAvailable(hosts[$0]) }) {
            guard let first = successor(hosts) else { return }
            (states[first].share, states[first].trial) = (.equal, .passed)
        }
        guard change == nil else { return }
        for index in next(hosts, now: now) {
            states[index].trial = .running(since: now, connected: nil)
            states[index].share = .one
        }
    }

    /// Returns the hosts that are tried now.
    ///
    /// Each that turned out to be useful doubles the number of those that are tried at the same time.
    private func next(_ hosts: [Host], now: Duration) -> ArraySlice<Int> {
        let useful = states.count { $0.share != .nothing && $0.isJudged }
        let trials = min(max(1, total / 8) << min(useful, 8), total / 2)
        let unjudged = hosts.indices.count { index in
            guard states[index].share == .one, !states[index].isJudged else { return false }
            return states[index].isRunning || hosts[index].connections > 0
        }
        let free = min(trials - unjudged, total - 1 - ones.count)
        return untried(hosts, now: now).prefix(max(0, free))
    }

    /// True if hosts are being tried, or will be: before that, no share is increased.
    func isTrying(_ hosts: [Host], now: Duration) -> Bool {
        states.contains(where: \.isRunning)
            || ones.count < total - 1 && !untried(hosts, now: now).isEmpty
    }

    /// The hosts that one connection is reserved for.
    private var ones: [State] { states.filter { $0.share == .one && $0.trial != .waiting } }

    private func untried(_ hosts: [Host], now: Duration) -> [Int] {
        guard now >= triesAfter, left >= throughput * Self.leftForTrial else { return [] }
        return inOrder(hosts).filter { isUntried($0, now: now) && hosts[$0].isUsable }
    }

    private func isUntried(_ index: Int, now: Duration) -> Bool {
        switch states[index].trial {
        case .waiting: true
        case .failed: now >= states[index].raisesAfter
        case .running, .passed: false
        }
    }

    private func isAvailable(_ host: Host) -> Bool { host.limit > 0 || host.connections > 0 }

    /// Returns the host that replaces those that had equal shares, because none of them is available.
    private func successor(_ hosts: [Host]) -> Int? {
        inOrder(hosts).filter { isAvailable(hosts[$0]) }.min {
            let (first, second) = (hosts[$0], hosts[$1])
            return (first.received.count, first.connections) > (second.received.count, second.connections)
        }
    }

    private func inOrder(_ hosts: [Host]) -> [Int] {
        hosts.indices.sorted { (hosts[$0].priority, $0) < (hosts[$1].priority, $1) }
    }

    /// True if connections are moved to other hosts at once; otherwise only those that have been open for a while.
    package func isMoving(now: Duration) -> Bool {
        change != nil || now < movesUntil || states.contains(where: \.isRunning)
    }

    /// Returns true if a host has no share because it was slower than others, or did not deliver anything.
    package func isSetAside(_ host: Int) -> Bool { states.indices.contains(host) && states[host].share == .nothing }

    /// Returns the number of connections that each host should have.
    package func numbers(_ hosts: [Host]) -> [Int] {
        var numbers = Array(repeating: 0, count: hosts.count)
        guard states.count == hosts.count else { return numbers }
        let order = inOrder(hosts).filter { hosts[$0].isUsable || hosts[$0].connections > 0 }
        var free = total
        func give(_ some: [Int], upTo maximum: Int) {
            for group in Set(some.map { hosts[$0].priority }).sorted() {
                let equals = some.filter { hosts[$0].priority == group }
                var isGiving = true
                while isGiving {
                    isGiving = false
                    for index in equals where free > 0 && numbers[index] < min(maximum, hosts[index].limit) {
                        numbers[index] += 1
                        free -= 1
                        isGiving = true
                    }
                }
            }
        }
        let equal = order.filter { states[$0].share == .equal && hosts[$0].limit > 0 }
        for index in order where free > min(1, equal.count) && isReserved(index, hosts[index]) {
            numbers[index] = 1
            free -= 1
        }
        give(equal, upTo: equal.count > 1 ? half : total)
        give(equal, upTo: total)
        let known = order.filter { states[$0].trial == .passed || states[$0].trial == .failed }
        give(known.filter { states[$0].share == .one }, upTo: total)
        give(known.filter { states[$0].share == .nothing }, upTo: total)
        return numbers
    }

    /// Returns the number of connections that each host should give up, because other hosts should have them.
    package func surplus(_ hosts: [Host]) -> [Int] {
        let numbers = numbers(hosts)
        let count = hosts.reduce(0) { $0 + $1.connections }
        let missing = zip(numbers, hosts).reduce(0) { $0 + max(0, min($1.0, $1.1.limit) - $1.1.connections) }
        var wanted = missing - max(0, total - count)
        return zip(numbers, hosts).map { number, host in
            let given = max(0, min(wanted, host.connections - number))
            wanted -= given
            return given
        }
    }

    private func isReserved(_ index: Int, _ host: Host) -> Bool {
        guard states[index].share == .one else { return false }
        return switch states[index].trial {
        // It is used after the first response of another one, as soon as there are bytes to compare.
        case .running: host.limit > 0 || !host.isPausing
        case .passed: host.limit > 0
        case .waiting, .failed: false
        }
    }
}
