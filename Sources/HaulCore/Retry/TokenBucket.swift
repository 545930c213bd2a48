/// A rate limit: tokens are bytes, they come at a fixed rate, and unused ones are kept only for a tenth of a second.
///
/// Taking more than there is is allowed and answered with the time to wait, so that the rate over any longer time is exact.
package struct TokenBucket: Hashable, Sendable {
    /// Bytes per second.
    package let rate: Double
    private var tokens: Double
    private var updated: Duration

    /// Makes a bucket that begins empty.
    package init(bytesPerSecond: Int64, now: Duration) {
        rate = Double(max(1, bytesPerSecond))
        tokens = 0
        updated = now
    }

    /// Takes `bytes`, which have just arrived, and says how long nothing more may be read.
    package mutating func take(_ bytes: Int, now: Duration) -> Duration {
        let elapsed = max(0, (now - updated).seconds)
        updated = max(updated, now)
        tokens = min(tokens + elapsed * rate, rate / 10) - Double(bytes)
        return tokens >= 0 ? .zero : .seconds(-tokens / rate)
    }
}
