/// The connections that one host allows to all downloads of an engine together, as learned from its refusals.
///
/// A refusal depends on the host's limit for this client, not on the download. So the limit is learned once and shared
/// fairly. After a while one download tries one more connection; each success doubles the step, each refusal doubles
/// the time until the next try. The result is kept for later downloads.
///
/// Time is passed in; all calls to one governor must use the same clock.
package struct HostGovernor: Hashable, Sendable {
    struct User: Hashable, Sendable {
        var use = HostUse()
        /// The last grant: these slots stay reserved until the download wants fewer.
        var granted = 0

        /// The number of slots that no other download may use.
        var held: Int { max(use.connections, granted) }
    }

    var users: [Int: User] = [:]
    /// Sums over all users.
    private var connections = 0
    private var delivering = 0
    var claims = 0

    /// The connections that continued when one more was refused; nil if none ever was.
    private(set) var ceiling: Int?
    /// The number of additional connections for the next try.
    private var step = 1
    private var fullUntil: Duration = .zero
    private var hold = Self.firstHold
    /// The maximum number of connections that delivered at the same time, since the last refusal below it.
    private var proven = 0
    /// The number of refusals below that maximum in a row, and the pause after the last one.
    private var surprises = 0
    private var pause = Pause(left: .max, until: .zero)
    private var optimum: Int?

    private struct Pause: Hashable, Sendable {
        var left: Int
        var until: Duration
    }

    /// The time from a refusal until one more connection is tried; doubles with each refusal.
    private static let firstHold: Duration = .seconds(10)
    private static let maxHold: Duration = .seconds(600)
    /// The pause after a refusal of a number that worked before; doubles with each refusal in a row.
    private static let surpriseHold: Duration = .milliseconds(100)
    /// The number of such refusals in a row that are attributed to bad timing.
    private static let maxSurprises = 5

    /// Makes the governor of an unknown host.
    package init() {}

    /// True if no download uses the host and nothing was learned, so that the governor can be discarded.
    package var isBlank: Bool { isIdle && ceiling == nil && optimum == nil }

    /// True if no download uses the host.
    package var isIdle: Bool { users.isEmpty }

    /// Adds a download that will use the host; older downloads have lower numbers.
    package mutating func join(_ user: Int) { users[user] = User() }

    /// Removes a download that has ended.
    package mutating func leave(_ user: Int) {
        set(HostUse(), of: user)
        users[user] = nil
    }

    /// Processes a report from a download.
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

    /// If a few more connections worked before, the host has probably not noticed yet that a connection ended, or
    /// failed by chance; it is asked again soon.
    private mutating func refused(now: Duration, retryAfter: Duration?) {
        // It was the only connection, so the number is not the reason.
        guard connections > 0 else { return }
        if connections < proven, connections * 2 >= proven, retryAfter == nil, surprises < Self.maxSurprises {
            pause = Pause(left: connections, until: now + Self.surpriseHold * (1 << surprises))
            surprises += 1
            return
        }
        if now < fullUntil {
            // Refusals while an earlier refusal is in effect belong to the same burst.
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

    /// Returns the number of connections that all downloads may use now.
    func limit(now: Duration) -> Int {
        guard let ceiling else { return .max }
        return now < fullUntil ? ceiling : ceiling + step
    }

    /// Returns the same limit, without replacements for connections that have just ended.
    func limitOfNewOnes(now: Duration) -> Int { min(limit(now: now), now < pause.until ? pause.left : .max) }

    /// Returns and reserves the number of connections that a download may have now.
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
