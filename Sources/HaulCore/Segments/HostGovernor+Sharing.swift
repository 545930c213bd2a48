/// Who gets the connections that a host allows, where they are too few for all.
extension HostGovernor {
    /// The connections that a download may have.
    ///
    /// Those that others have or were promised are never given twice, so that the limit holds although downloads hear of it one after the
    /// other. A download that has more than its share hears so, and the places go to others when they are free.
    func grant(of user: Int, now: Duration) -> Int {
        guard let entry = users[user] else { return 0 }
        let limit = limit(now: now)
        let limitOfNewOnes = limitOfNewOnes(now: now)
        // The usual case: there are enough for all.
        if claims <= limitOfNewOnes { return entry.use.claim }
        let share = claims <= limit ? entry.use.claim : shares(of: limit)[user] ?? 0
        let others = users.values.reduce(0) { $0 + $1.held } - entry.held
        return min(share, max(entry.use.connections, limitOfNewOnes - others))
    }

    /// Fair shares of so many connections: one for each in turn, until all are given away or nobody wants more.
    ///
    /// First come those that have connections, so that none has to end for one that waits; of each kind, those that came first.
    func shares(of limit: Int) -> [Int: Int] {
        let order = users.keys.sorted { first, second in
            let waits = (users[first]?.use.connections == 0, users[second]?.use.connections == 0)
            return waits.0 == waits.1 ? first < second : waits.1
        }
        var shares: [Int: Int] = [:]
        var left = limit
        var wanting = order.filter { (users[$0]?.use.claim ?? 0) > 0 }
        while left > 0, !wanting.isEmpty {
            for user in wanting.prefix(left) { shares[user, default: 0] += 1 }
            left -= min(left, wanting.count)
            wanting.removeAll { shares[$0] == users[$0]?.use.claim }
        }
        return shares
    }

    /// The downloads that would get more than they were told, in the order in which they came.
    package func waking(now: Duration) -> [Int] {
        guard limitOfNewOnes(now: now) < .max else { return [] }
        return users.keys.filter { user in
            users[user].map { $0.granted < $0.use.claim && grant(of: user, now: now) > $0.granted } ?? false
        }
        .sorted()
    }
}
