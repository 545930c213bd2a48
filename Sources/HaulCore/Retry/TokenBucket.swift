/// A rate limit: tokens are bytes, they come at a fixed rate, and unused ones are kept only for a tenth of a second.
///
/// Taking more than there is is allowed and answered with the time to wait, so that the rate over any longer time is exact. The rate may
/// be changed at any time, also under those that wait: they remember a mark, how many bytes must have been earned, instead of a time.
package struct TokenBucket: Hashable, Sendable {
    /// Bytes per second; nil: no limit.
    package private(set) var rate: Double?
    /// Bytes that were taken, ever.
    private var taken: Double = 0
    /// Bytes that could have been taken, ever; what a pause would save up beyond a tenth of a second is left out.
    private var earned: Double = 0
    private var updated: Duration

    /// Makes a bucket that begins empty.
    package init(bytesPerSecond: Int64?, now: Duration) {
        rate = Self.rate(bytesPerSecond)
        updated = now
    }

    /// Changes the rate from now on.
    ///
    /// Without a rate nobody has to wait any more, not even for what was taken before.
    package mutating func set(bytesPerSecond: Int64?, now: Duration) {
        settle(now)
        rate = Self.rate(bytesPerSecond)
        // What was saved up at another rate must not become a burst at this one.
        earned = rate.map { min(earned, taken + $0 / 10) } ?? taken
    }

    /// Takes `bytes`, which have just arrived, and says how long nothing more may be read.
    package mutating func take(_ bytes: Int, now: Duration) -> Duration {
        settle(now)
        guard rate != nil else { return .zero }
        taken += Double(bytes)
        return delay(until: mark, now: now)
    }

    /// What has to be earned before he who took last may go on: see `delay(until:now:)`.
    package var mark: Double { taken }

    /// How long it takes, at the present rate, until a mark is earned.
    package func delay(until mark: Double, now: Duration) -> Duration {
        guard let rate else { return .zero }
        let missing = mark - earned - max(0, (now - updated).seconds) * rate
        return missing > 0 ? .seconds(missing / rate) : .zero
    }

    private mutating func settle(_ now: Duration) {
        let elapsed = max(0, (now - updated).seconds)
        updated = max(updated, now)
        guard let rate else { return }
        earned = min(earned + elapsed * rate, taken + rate / 10)
    }

    private static func rate(_ bytesPerSecond: Int64?) -> Double? { bytesPerSecond.map { Double(max(1, $0)) } }
}
