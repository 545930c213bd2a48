/// A rate limit: a token bucket for bytes that holds at most a tenth of a second of unused tokens.
///
/// More than the available tokens may be taken; the result is the time to wait, so that the rate over any longer time
/// is exact. The rate may change at any time, even for waiting callers: they remember a mark, the number of bytes that
/// must have been earned, instead of a time.
package struct TokenBucket: Hashable, Sendable {
    /// The rate in bytes per second; nil means no limit.
    package private(set) var rate: Double?
    /// The total number of bytes taken.
    private var taken: Double = 0
    /// The total number of bytes that could have been taken, without those that a pause would have saved up beyond a
    /// tenth of a second.
    private var earned: Double = 0
    private var updated: Duration

    /// Makes an empty bucket.
    package init(bytesPerSecond: Int64?, now: Duration) {
        rate = Self.rate(bytesPerSecond)
        updated = now
    }

    /// Changes the rate from now on.
    ///
    /// If the rate is nil, callers no longer have to wait, not even for bytes taken before.
    package mutating func set(bytesPerSecond: Int64?, now: Duration) {
        settle(now)
        rate = Self.rate(bytesPerSecond)
        // Tokens saved at another rate must not become a burst at this one.
        earned = rate.map { min(earned, taken + $0 / 10) } ?? taken
    }

    /// Takes `bytes`, which have just arrived, and returns the time until more may be read.
    package mutating func take(_ bytes: Int, now: Duration) -> Duration {
        settle(now)
        guard rate != nil else { return .zero }
        taken += Double(bytes)
        return delay(until: mark, now: now)
    }

    /// The mark that must be earned before the latest caller may continue: see `delay(until:now:)`.
    package var mark: Double { taken }

    /// Returns the time until a mark is earned at the current rate.
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
