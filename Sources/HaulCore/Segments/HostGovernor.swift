/// What one host grants to all downloads of an engine together, and what worked there.
///
/// A refusal says something about the host's limit for this client, not about the download that met it. So the limit is learned once and
/// shared fairly. After a while the host is tried with one connection more, by one download; each success doubles the step, each refusal
/// the time until the next try. What was learned stays for the downloads that follow.
///
/// Pure: time is an argument, and all methods of one governor are given the same clock.
package struct HostGovernor: Hashable, Sendable {
    struct User: Hashable, Sendable {
        var use = HostUse()
        /// What it was told last: those places are its own until it wants fewer.
        var granted = 0

        /// The places that nobody else may take.
        var held: Int { max(use.connections, granted) }
    }

    var users: [Int: User] = [:]
    /// Sums over all users.
    private var connections = 0
    private var delivering = 0
    var claims = 0

    /// The connections that went on when one more was refused; nil: none ever was.
    private(set) var ceiling: Int?
    /// How many more than those are tried when the time has come.
    private var step = 1
    private var fullUntil: Duration = .zero
    private var hold = Self.firstHold
    /// The most connections that delivered at a time, as far as that holds.
    private var proven = 0
    /// How often in a row fewer than that were refused, and how long nobody tries more than were left.
    private var surprises = 0
    private var pause = Pause(left: .max, until: .zero)
    private var optimum: Int?

    private struct Pause: Hashable, Sendable {
        var left: Int
        var until: Duration
    }

    /// How long after a refusal the host is tried with one more; doubles with each.
    private static let firstHold: Duration = .seconds(10)
    private static let maxHold: Duration = .seconds(600)
    /// How long after a refusal of what had worked before; doubles with each in a row.
    private static let surpriseHold: Duration = .milliseconds(100)
    /// So many refusals in a row of what had worked before are put down to bad timing.
    private static let maxSurprises = 5

    /// Makes a governor of a host that nothing is known of.
    package init() {}

    /// Whether no download uses the host and nothing was learned of it, so that it can be forgotten.
    package var isBlank: Bool { isIdle && ceiling == nil && optimum == nil }

    /// Whether no download uses the host.
    package var isIdle: Bool { users.isEmpty }

    /// A download will use the host; those that came first have the lower numbers.
    package mutating func join(_ user: Int) { users[user] = User() }

    /// A download has ended.
    package mutating func leave(_ user: Int) {
        set(HostUse(), of: user)
        users[user] = nil
    }

    /// Takes what a download tells.
    package mutating func receive(_ report: HostReport, of user: Int, now: Duration) {
        guard let known = users[user] else { return }
        switch report {
        case .uses(let use):
            set(use, of: user)
            learn(now: now)
        case .refused(let left, let retryAfter):
            var use = known.use
            use.connections = max(0, left)
            use.delivering = min(use.delivering, use.connections)
            set(use, of: user)
            refused(now: now, retryAfter: retryAfter)
        case .optimum(let count): optimum = max(1, count)
        }
    }

    private mutating func set(_ use: HostUse, of user: Int) {
        guard var entry = users[user] else { return }
        connections += use.connections - entry.use.connections
        delivering += use.delivering - entry.use.delivering
        claims += use.claim - entry.use.claim
        entry.use = use
        entry.granted = min(entry.granted, use.claim)
        users[user] = entry
    }

    private mutating func learn(now: Duration) {
        proven = max(proven, delivering)
        if surprises > 0, delivering > pause.left { surprises = 0 }
        guard let ceiling, now >= fullUntil, delivering >= ceiling + step else { return }
        self.ceiling = delivering
        step = min(step * 2, 1 << 20)
        (fullUntil, hold) = (.zero, Self.firstHold)
    }

    /// Where a few more had worked before, the host has probably not noticed yet that a connection ended, or has failed by chance: it is
    /// asked again soon.
    private mutating func refused(now: Duration, retryAfter: Duration?) {
        // It was the only one, so it is no matter of how many.
        guard connections > 0 else { return }
        if connections < proven, connections * 2 >= proven, retryAfter == nil, surprises < Self.maxSurprises {
            pause = Pause(left: connections, until: now + Self.surpriseHold * (1 << surprises))
            surprises += 1
            return
        }
        if now < fullUntil {
            // What is refused while an earlier refusal holds belongs to the same burst.
            ceiling = min(ceiling ?? connections, connections)
        } else {
            if fullUntil > .zero { hold = min(hold * 2, Self.maxHold) }
            ceiling = connections
        }
        fullUntil = max(fullUntil, now + max(hold, retryAfter ?? .zero))
        step = 1
        surprises = 0
        proven = min(proven, connections)
    }

    /// The connections of all downloads that may be tried now.
    func limit(now: Duration) -> Int {
        guard let ceiling else { return .max }
        return now < fullUntil ? ceiling : ceiling + step
    }

    /// The same, where those that have just ended are not replaced yet.
    func limitOfNewOnes(now: Duration) -> Int { min(limit(now: now), now < pause.until ? pause.left : .max) }

    /// What a download may have now; the places are kept for it until it wants fewer.
    package mutating func quota(of user: Int, now: Duration) -> ConnectionQuota {
        var quota = ConnectionQuota()
        guard var entry = users[user] else { return quota }
        quota.optimum = optimum
        let others = connections - entry.use.connections
        quota.isShared = others > 0
        quota.isServing = delivering > entry.use.delivering
        quota.isFull = others >= proven
        let isPaused = now < pause.until
        guard ceiling != nil || isPaused else { return quota }
        quota.limit = ceiling ?? pause.left
        quota.fullUntil = isPaused ? max(pause.until, fullUntil) : fullUntil
        entry.granted = grant(of: user, now: now)
        quota.connections = entry.granted
        users[user] = entry
        return quota
    }
}
