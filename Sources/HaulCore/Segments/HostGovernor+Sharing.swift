/// Distributes the connections of a host if there are too few for all downloads.
extension HostGovernor {
    /// Returns the number of connections that a download may have.
    ///
    /// Connections that others have or were granted are never granted twice, so the limit holds although downloads
    /// learn of it one after the other. A download with more than its share gets a lower grant; the slots go to others
    /// once they are free.
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

    /// Distributes `limit` connections fairly: one for each download in turn, until all are assigned or all claims are
    /// met.
    ///
    /// Downloads with connections come first, so that none has to close for one that waits; within each group, the
    /// oldest come first.
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

    /// Returns the downloads that could get more than their last grant, oldest first.
    package func waking(now: Duration) -> [Int] {
        guard limitOfNewOnes(now: now) < .max else { return [] }
        return users.keys.filter { user in
            users[user].map { $0.granted < $0.use.claim && grant(of: user, now: now) > $0.granted } ?? false
        }
        .sorted()
    }
}
