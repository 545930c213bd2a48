/// Finds the number of connections that one download should use.
///
/// If it has the host to itself, it starts with the maximum, as browsers do, and checks later if fewer deliver as much:
/// in the first moments, one slow connection would look like a saturated line. Beside other downloads it starts with
/// one, and adds more while the throughput rises. It uses fewer if the server refuses connections. Time is passed in.
package struct ConnectionGovernor: Hashable, Sendable {
    private let limit: ConnectionLimit
    private var target: Int
    /// The last number that paid off; a failed attempt with more returns to it.
    private var optimal: Int
    private var stage: Stage
    /// The number of connections that paid off, if measured; nil while unknown.
    package private(set) var optimum: Int?
    private var window = PaceWindow()
    /// The time until the next measurement.
    private var rest: Duration = Self.firstRest
    private var ceiling: Int
    private var ceilingUntil: Duration = .zero
    private var hold: Duration = Self.firstHold
    /// The maximum number of connections that delivered at the same time.
    private var proven = 0
    /// The number of refusals below that maximum, and the pause after the last one.
    private var surprises = 0
    private var surprised = Surprise(left: .max, until: .zero)

    private enum Stage: Hashable, Sendable {
        /// Measures the throughput of `target`; `before` is that of `optimal` in bytes per second, if measured.
        case measuring(before: Double?, isAgain: Bool)
        /// Measures fewer connections than `optimal`, once the throughput of `optimal` is known.
        case easing(before: Double?)
        /// Keeps its few initial connections until a time, then measures.
        case starting(until: Duration)
        /// Has found `target`; measures again at a time, or never if nil.
        case settled(until: Duration?)

        /// The initial stage.
        static let first = measuring(before: nil, isAgain: false)
    }

    private struct Surprise: Hashable, Sendable {
        var left: Int
        var until: Duration
    }

    /// The minimum time for which a number of connections is measured.
    private static let minWindow: Duration = .milliseconds(150)
    /// The same after a number was found: frequent measurements must not mistake chance for a gain.
    private static let minLook: Duration = .seconds(1)
    /// The measuring time in multiples of the latency: a new connection needs some round trips to reach full speed.
    private static let windowLatencies = 4
    /// The time until more connections are tried again; doubles with each try.
    private static let firstRest: Duration = .seconds(3)
    /// The time until fewer connections are tried, and the minimum remaining time of the download for such a try.
    private static let firstEase: Duration = .seconds(10)
    /// Fewer connections are as good as more if they deliver at least this fraction.
    private static let asMuch = 0.95
    /// If fewer deliver less than this fraction, each connection counts, and fewer are not tried again.
    private static let farLess = 0.75
    private static let maxRest: Duration = .seconds(60)
    /// The time until more connections are tried after a refusal; doubles with each refusal.
    private static let firstHold: Duration = .seconds(10)
    /// The pause after a refusal of a number that worked before; doubles with each refusal.
    private static let surpriseHold: Duration = .milliseconds(100)
    /// The number of refusals of a proven number that are attributed to bad timing.
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

    /// Starts with the number that paid off for another download of the host, unless this download has measured its
    /// own.
    package mutating func start(at connections: Int) {
        guard case .automatic = limit, proven == 0, stage == .first else { return }
        target = max(1, min(connections, limit.maximum))
        optimal = target
        if target == limit.maximum { (stage, optimum) = (.settled(until: nil), target) }
    }

    /// Starts with two, the most that a server on this machine benefits from, unless something is known.
    package mutating func startWithTwo(now: Duration) {
        guard case .automatic = limit, stage == .first, optimum == nil, ceilingUntil == .zero else { return }
        target = min(2, limit.maximum)
        optimal = target
        stage = .starting(until: now + Self.firstRest)
    }

    /// Starts with the maximum, unless something is known.
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

    /// Returns the number of connections that may be active now.
    package func allowed(now: Duration) -> Int {
        min(target, now < ceilingUntil ? ceiling : limit.maximum, now < surprised.until ? surprised.left : .max)
    }

    /// Records that the server refused another connection while `active` others continued; no more than those are used
    /// for a while.
    ///
    /// - Returns: False if the refusal is attributed to bad timing.
    @discardableResult
    package mutating func refused(active: Int, now: Duration, retryAfter: Duration?) -> Bool {
        if retryAfter == nil, isBadTiming(active: active, now: now) { return false }
        // Refusals while an earlier refusal is in effect belong to the same burst.
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

    /// Returns true if this number of connections has delivered at the same time.
    package func hasServed(_ connections: Int) -> Bool { connections <= proven }

    /// Returns true if a refusal while `active` others continue is attributed to bad timing.
    ///
    /// If a few more connections worked before, the server has probably not noticed yet that a connection ended; it is
    /// asked again soon.
    package mutating func isBadTiming(active: Int, now: Duration) -> Bool {
        guard active < proven, active * 2 >= proven, surprises < Self.maxSurprises else { return false }
        surprised = Surprise(left: max(1, active), until: now + Self.surpriseHold * (1 << surprises))
        surprises += 1
        return true
    }

    /// Evaluates the throughput.
    ///
    /// A doubling that paid off is followed by the next one. One that did not is undone, and tried again after a while,
    /// because lines and servers change. If the download started with the maximum, halving is evaluated likewise.
    ///
    /// - Parameters:
    ///   - received: The number of bytes received in this session.
    ///   - left: The number of missing bytes.
    ///   - active: The number of connections that have delivered bytes.
    ///   - latency: The longest time from the request to the response of one of them.
    ///   - isFree: True if only the server and the line limit the download, so that a later measurement is meaningful.
    ///     Beside other downloads it would only take their share.
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

    /// Doubles the number of connections if the current number paid off.
    private mutating func judge(_ throughput: Double, before: Double?, isAgain: Bool, isFree: Bool, now: Duration) {
        guard throughput > (before ?? 0) * worth(isAgain: isAgain) else { return settle(now: now) }
        optimal = target
        // A throughput measured beside other downloads says nothing about the next one.
        if isFree { optimum = target }
        target = min(target * 2, limit.maximum)
        stage = target == optimal ? .settled(until: nil) : .measuring(before: throughput, isAgain: isAgain)
    }

    /// Halves the number of connections while fewer deliver as much as all.
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

    /// Returns the factor by which `target` must exceed `optimal`: a tenth more at first, later 30 % of the increase in
    /// connections.
    private func worth(isAgain: Bool) -> Double {
        isAgain ? 1 + 0.3 * (Double(target) / Double(optimal) - 1) : 1.1
    }

    /// Returns to the number that paid off.
    private mutating func settle(now: Duration) {
        // Not always half of `target`: the limit may have shortened the last step.
        target = optimal
        window.stop()
        stage = .settled(until: now + rest)
        rest = min(rest * 2, Self.maxRest)
    }
}
