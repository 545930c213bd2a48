/// Finds how many connections one download may use: more while they pay, fewer where the server refuses.
package struct ConnectionGovernor: Hashable, Sendable {
    private let limit: ConnectionLimit
    private var target: Int
    /// The number that paid last: what a try with more goes back to.
    private var paid: Int
    private var stage: Stage
    /// How many connections have paid, where it looks for that itself; nil while nothing is known.
    package private(set) var finding: Int?
    private var window = PaceWindow()
    /// How long it stays with what it has found before it looks again.
    private var rest: Duration = Self.firstRest
    private var ceiling: Int
    private var ceilingUntil: Duration = .zero
    private var hold: Duration = Self.firstHold
    /// The most connections that delivered at a time.
    private var proven = 0
    /// How often fewer than that were refused, and until when it stays with those that were left.
    private var surprises = 0
    private var surprised = Surprise(left: .max, until: .zero)

    private enum Stage: Hashable, Sendable {
        /// Measures what `target` brings; `paid` brought so many bytes per second, where that was measured.
        case measuring(before: Double?, isAgain: Bool)
        /// Has found `target`, and looks again at a time; nil: never.
        case settled(until: Duration?)

        /// Where it begins.
        static let first = measuring(before: nil, isAgain: false)
    }

    private struct Surprise: Hashable, Sendable {
        var left: Int
        var until: Duration
    }

    /// How long one try with a number of connections is watched at least before it is judged.
    private static let shortestWindow: Duration = .milliseconds(150)
    /// The same once it has found a number: who looks often must not take chance for a gain.
    private static let shortestLook: Duration = .seconds(1)
    /// How many times the latency it is watched: a new connection takes some round trips to come up to speed.
    private static let windowLatencies = 4
    /// How long it is before it looks again whether more would pay; doubles with each look.
    private static let firstRest: Duration = .seconds(3)
    private static let longestRest: Duration = .seconds(60)
    /// How long a refused connection is not tried again; doubles with each refusal.
    private static let firstHold: Duration = .seconds(10)
    /// How long after a refusal of what had worked before; doubles with each.
    private static let surpriseHold: Duration = .milliseconds(100)
    /// So often a refusal of what had worked before is put down to bad timing.
    private static let mostSurprises = 5

    /// Makes a governor.
    package init(_ limit: ConnectionLimit) {
        self.limit = limit
        ceiling = limit.maximum
        switch limit {
        case .automatic:
            target = 1
            stage = .first
        case .fixed(let count):
            target = max(1, count)
            stage = .settled(until: nil)
        }
        paid = target
    }

    /// Begins with what paid for another download of the host, unless it has found out something itself.
    package mutating func start(at connections: Int) {
        guard case .automatic = limit, proven == 0, stage == .first else { return }
        target = max(1, min(connections, limit.maximum))
        paid = target
        if target == limit.maximum { (stage, finding) = (.settled(until: nil), target) }
    }

    /// How many connections may be at work now.
    package func allowed(now: Duration) -> Int {
        min(target, now < ceilingUntil ? ceiling : limit.maximum, now < surprised.until ? surprised.left : .max)
    }

    /// The server refused a further connection while `active` others went on: no more than those for a while.
    ///
    /// Where a few more had worked before, the server has probably not noticed yet that a connection ended: it is asked again soon.
    package mutating func refused(active: Int, now: Duration, retryAfter: Duration?) {
        if active < proven, active * 2 >= proven, retryAfter == nil, surprises < Self.mostSurprises {
            surprised = Surprise(left: max(1, active), until: now + Self.surpriseHold * (1 << surprises))
            surprises += 1
            return
        }
        // What is refused while an earlier refusal holds belongs to the same burst.
        if now >= ceilingUntil, ceilingUntil > .zero { hold = min(hold * 2, .seconds(600)) }
        ceiling = max(1, active)
        ceilingUntil = max(ceilingUntil, now + max(hold, retryAfter ?? .zero))
        guard case .automatic = limit else { return }
        target = ceiling
        paid = target
        (stage, finding, rest) = (.first, nil, Self.firstRest)
        window.stop()
    }

    /// Judges the throughput: each doubling that paid is followed by the next one; one that didn't is taken back, and tried again after a
    /// while, as lines and servers change.
    ///
    /// - Parameters:
    ///   - received: bytes of this session so far.
    ///   - active: connections that have delivered bytes.
    ///   - latency: the longest time that one of them took from its request to its answer.
    ///   - isFree: Whether nothing but the server and the line holds it back, so that a later look can find out something. Beside other
    ///     downloads it would only take their part.
    package mutating func observe(received: Int64, active: Int, latency: Duration, isFree: Bool = true, now: Duration) {
        proven = max(proven, active)
        switch stage {
        case .settled(let time?) where now >= time && isFree: stage = .measuring(before: nil, isAgain: true)
        case .measuring(_, isAgain: true) where !isFree: return settle(now: now)
        case .settled, .measuring: break
        }
        guard case .measuring(let before, let isAgain) = stage, now >= ceilingUntil, active >= target else { return }
        let least = max(isAgain ? Self.shortestLook : Self.shortestWindow, latency * Self.windowLatencies)
        guard let throughput = window.add(received, least: least, now: now) else { return }
        guard throughput > (before ?? 0) * worth(isAgain: isAgain) else { return settle(now: now) }
        (paid, finding) = (target, target)
        target = min(target * 2, limit.maximum)
        stage = target == paid ? .settled(until: nil) : .measuring(before: throughput, isAgain: isAgain)
    }

    /// How many times what `paid` brought `target` has to bring: a tenth more at first, three tenths of its part later.
    private func worth(isAgain: Bool) -> Double {
        isAgain ? 1 + 0.3 * (Double(target) / Double(paid) - 1) : 1.1
    }

    /// Stays with what has paid.
    private mutating func settle(now: Duration) {
        // Not always the half: the limit may have cut the last step short.
        (target, finding) = (paid, paid)
        window.stop()
        stage = .settled(until: now + rest)
        rest = min(rest * 2, Self.longestRest)
    }
}

extension Duration {
    /// The duration in seconds.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }
}
