/// What one host grants to all downloads of an engine together, and what worked there.
///
/// A refusal says something about the host's limit for this client, not about the download that met it. So the limit is learned
/// once, shared fairly, and lifted after a while, longer after each refusal. A download beyond the limit waits for the others.
package struct HostGovernor: Hashable, Sendable {
    /// The connections of each download that uses the host.
    private var users: [Int: Int] = [:]
    private var ceiling = Int.max
    private var ceilingUntil: Duration = .zero
    private var hold: Duration = Self.firstHold
    /// How many connections paid for the last download that found out.
    package private(set) var paying: Int?

    private static let firstHold: Duration = .seconds(10)
    private static let longestHold: Duration = .seconds(600)

    /// Makes a governor of a host that nothing is known of.
    package init() {}

    /// Whether another download than this one has connections there.
    package func isShared(with user: Int) -> Bool { users.contains { $0.key != user && $0.value > 0 } }

    /// Takes note of how many connections a download has; none is a number, too: it would like some.
    package mutating func note(_ connections: Int, of user: Int) { users[user] = connections }

    /// A download has ended.
    package mutating func leave(_ user: Int) { users[user] = nil }

    /// The number of connections that paid for a download.
    package mutating func learn(paying connections: Int) { paying = max(1, connections) }

    /// The host refused a connection while `active` of all downloads went on: no more than those for a while.
    package mutating func refused(active: Int, now: Duration, retryAfter: Duration?) {
        // What is refused while an earlier refusal holds belongs to the same burst.
        if now >= ceilingUntil, ceilingUntil > .zero { hold = min(hold * 2, Self.longestHold) }
        ceiling = max(1, active)
        ceilingUntil = max(ceilingUntil, now + max(hold, retryAfter ?? .zero))
    }

    /// The connections of all downloads that were counted last.
    package var active: Int { users.values.reduce(0, +) }

    /// How many connections a download may have; `Int.max` where the host has not refused any.
    ///
    /// A fair share, or what the others leave, whichever is more. Where there are more downloads than connections, those that came first
    /// have them.
    package func allowance(of user: Int, now: Duration) -> Int {
        // A download that is alone has a governor of its own, which knows more.
        guard now < ceilingUntil, users.keys.contains(where: { $0 != user }) else { return .max }
        let rank = users.keys.count { $0 < user }
        let count = max(1, users.count)
        let share = ceiling / count + (rank < ceiling % count ? 1 : 0)
        let others = users.reduce(0) { $1.key == user ? $0 : $0 + $1.value }
        return max(share, ceiling - others)
    }
}
