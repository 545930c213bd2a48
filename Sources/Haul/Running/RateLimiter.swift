import HaulCore
import Synchronization

/// One rate limit shared by all the connections that hold it.
final class RateLimiter: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let origin = ContinuousClock.now

    /// Makes a limiter.
    init(bytesPerSecond: Int64) {
        bucket = Mutex(TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero))
    }

    /// Takes bytes that have just arrived and says how long to read nothing.
    func take(_ bytes: Int) -> Duration {
        let now = ContinuousClock.now - origin
        return bucket.withLock { $0.take(bytes, now: now) }
    }
}
