/// Finds how many connections one download may use.
///
/// Where it has the host for itself, it begins with all that it may have, as a browser does, and looks later whether fewer bring as much:
/// judged by its first moments, a slow connection among the first ones would look like a line that is full. Beside other downloads it
/// begins with one, and takes more while they pay. Where the server refuses, there are fewer. Pure: time is an argument.
package struct ConnectionGovernor: Hashable, Sendable {
    private let limit: ConnectionLimit
    private var target: Int
    /// The number that paid last: what a try with more goes back to.
    private var optimal: Int
    private var stage: Stage
    /// How many connections have paid, where it looks for that itself; nil while nothing is known.
    package private(set) var optimum: Int?
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
        /// Measures what `target` brings; `optimal` brought so many bytes per second, where that was measured.
        case measuring(before: Double?, isAgain: Bool)
        /// The same with fewer than `optimal`, once it is known what those bring.
        case easing(before: Double?)
        /// Keeps the few that it began with; measures from a time on.
        case starting(until: Duration)
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
    private static let minWindow: Duration = .milliseconds(150)
    /// The same once it has found a number: who looks often must not take chance for a gain.
    private static let minLook: Duration = .seconds(1)
    /// How many times the latency it is watched: a new connection takes some round trips to come up to speed.
    private static let windowLatencies = 4
    /// How long it is before it looks again whether more would pay; doubles with each look.
    private static let firstRest: Duration = .seconds(3)
    /// How long it is before it looks whether fewer would do, and how long the download must go on after that.
    private static let firstEase: Duration = .seconds(10)
    /// Fewer that bring this part of what more bring do as well.
    private static let asMuch = 0.95
    /// Where fewer bring no more than this part, each connection counts, and that is not asked again.
    private static let farLess = 0.75
    private static let maxRest: Duration = .seconds(60)
    /// How long a refused connection is not tried again; doubles with each refusal.
    private static let firstHold: Duration = .seconds(10)
    /// How long after a refusal of what had worked before; doubles with each.
    private static let surpriseHold: Duration = .milliseconds(100)
    /// So often a refusal of what had worked before is put down to bad timing.
    private static let maxSurprises = 5

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
        optimal = target
    }

    /// Begins with what paid for another download of the host, unless it has found out something itself.
    package mutating func start(at connections: Int) {
        guard case .automatic = limit, proven == 0, stage == .first else { return }
        target = max(1, min(connections, limit.maximum))
        optimal = target
        if target == limit.maximum { (stage, optimum) = (.settled(until: nil), target) }
    }

    /// Begins with two, which is as much as a server on this machine can use, unless something is known already.
    package mutating func startWithTwo(now: Duration) {
        guard case .automatic = limit, stage == .first, optimum == nil, ceilingUntil == .zero else { return }
        target = min(2, limit.maximum)
        optimal = target
        stage = .starting(until: now + Self.firstRest)
    }

    /// Begins with all that it may have, unless something is known already.
    package mutating func startAtLimit(now: Duration) {
        guard case .automatic = limit, hasJudgedNothing, optimum == nil, ceilingUntil == .zero else { return }
        target = limit.maximum
        optimal = target
        window.stop()
        stage = .settled(until: target > 1 ? now + Self.firstEase : nil)
    }

    private var hasJudgedNothing: Bool {
        if case .starting = stage { true } else { stage == .first }
    }

    /// How many connections may be at work now.
    package func allowed(now: Duration) -> Int {
        min(target, now < ceilingUntil ? ceiling : limit.maximum, now < surprised.until ? surprised.left : .max)
    }

    /// The server refused a further connection while `active` others went on: no more than those for a while.
    ///
    /// - Returns: false if it was bad timing.
    @discardableResult
    package mutating func refused(active: Int, now: Duration, retryAfter: Duration?) -> Bool {
        if retryAfter == nil, isBadTiming(active: active, now: now) { return false }
        // What is refused while an earlier refusal holds belongs to the same burst.
        if now >= ceilingUntil, ceilingUntil > .zero { hold = min(hold * 2, .seconds(600)) }
        ceiling = max(1, active)
        ceilingUntil = max(ceilingUntil, now + max(hold, retryAfter ?? .zero))
        guard case .automatic = limit else { return true }
        target = ceiling
        optimal = target
        (stage, optimum, rest) = (.first, nil, Self.firstRest)
        window.stop()
        return true
    }

    /// Whether so many connections have delivered at a time.
    package func hasServed(_ connections: Int) -> Bool { connections <= proven }

    /// Whether a refusal while `active` others go on is put down to bad timing.
    ///
    /// Where a few more had worked before, the server has probably not noticed yet that a connection ended: it is asked again soon.
    package mutating func isBadTiming(active: Int, now: Duration) -> Bool {
        guard active < proven, active * 2 >= proven, surprises < Self.maxSurprises else { return false }
        surprised = Surprise(left: max(1, active), until: now + Self.surpriseHold * (1 << surprises))
        surprises += 1
        return true
    }

    /// Judges the throughput.
    ///
    /// Each doubling that paid is followed by the next one; one that didn't is taken back, and tried again after a while, as lines and
    /// servers change. Halves are judged likewise, where it began with all.
    ///
    /// - Parameters:
    ///   - received: bytes of this session so far.
    ///   - left: bytes that are still to come.
    ///   - active: connections that have delivered bytes.
    ///   - latency: the longest time that one of them took from its request to its answer.
    ///   - isFree: Whether nothing but the server and the line holds it back, so that a later look can find out something. Beside other
    ///     downloads it would only take their part.
    package mutating func observe(
        received: Int64, left: Int64 = .max, active: Int, latency: Duration, isFree: Bool = true, now: Duration
    ) {
        proven = max(proven, active)
        switch stage {
        case .settled(let time?) where now >= time && isFree:
            stage = target < limit.maximum ? .measuring(before: nil, isAgain: true) : .easing(before: nil)
        case .starting(let time) where now >= time: stage = .measuring(before: nil, isAgain: true)
        case .measuring(_, isAgain: true) where !isFree, .easing where !isFree: return settle(now: now)
        case .starting, .settled, .measuring, .easing: break
        }
        guard now >= ceilingUntil else { return }
        switch stage {
        case .starting, .settled: return
        case .measuring(let before, let isAgain):
            let minimum = isAgain ? Self.minLook : Self.minWindow
            guard active >= target, let throughput = measure(received, minimum, latency, now: now) else { return }
            judge(throughput, before: before, isAgain: isAgain, isFree: isFree, now: now)
        case .easing(let before):
            guard before == nil || active <= target,
                let throughput = measure(received, Self.minLook, latency, now: now)
            else { return }
            ease(throughput, before: before, left: left, now: now)
        }
    }

    private mutating func measure(
        _ received: Int64, _ minimum: Duration, _ latency: Duration, now: Duration
    ) -> Double? {
        window.add(received, minimum: max(minimum, latency * Self.windowLatencies), now: now)
    }

    /// Goes on to twice as many where these have paid.
    private mutating func judge(_ throughput: Double, before: Double?, isAgain: Bool, isFree: Bool, now: Duration) {
        guard throughput > (before ?? 0) * worth(isAgain: isAgain) else { return settle(now: now) }
        optimal = target
        // What came beside other downloads says nothing about the next one.
        if isFree { optimum = target }
        target = min(target * 2, limit.maximum)
        stage = target == optimal ? .settled(until: nil) : .measuring(before: throughput, isAgain: isAgain)
    }

    /// Goes on to half as many while they bring as much as all did.
    private mutating func ease(_ throughput: Double, before: Double?, left: Int64, now: Duration) {
        if let before {
            guard throughput >= before * Self.asMuch else {
                optimum = optimal
                settle(now: now)
                if throughput < before * Self.farLess { stage = .settled(until: nil) }
                return
            }
            (optimal, optimum) = (target, target)
        } else if Double(left) < throughput * Self.firstEase.seconds {
            return settle(now: now)
        }
        guard target > 1 else { return settle(now: now) }
        target /= 2
        window.stop()
        stage = .easing(before: before ?? throughput)
    }

    /// How many times what `optimal` brought `target` has to bring: a tenth more at first, three tenths of its part later.
    private func worth(isAgain: Bool) -> Double {
        isAgain ? 1 + 0.3 * (Double(target) / Double(optimal) - 1) : 1.1
    }

    /// Stays with what has paid.
    private mutating func settle(now: Duration) {
        // Not always the half: the limit may have cut the last step short.
        target = optimal
        window.stop()
        stage = .settled(until: now + rest)
        rest = min(rest * 2, Self.maxRest)
    }
}
