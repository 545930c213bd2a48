import HaulCore
import Synchronization

/// One rate limit shared by all the connections that hold it, to be changed at any time.
///
/// A change reaches connections that are held back at their next poke, within 100 ms.
package final class RateLimiter: Sendable {
    private let bucket: Mutex<TokenBucket>
    /// Whether there is a limit: without one the hot path takes no lock.
    private let isLimited: Atomic<Bool>
    private let origin = ContinuousClock.now

    /// Makes a limiter; nil: no limit for now.
    package init(bytesPerSecond: Int64?) {
        bucket = Mutex(TokenBucket(bytesPerSecond: bytesPerSecond, now: .zero))
        isLimited = Atomic(bytesPerSecond != nil)
    }

    /// Changes the limit; nil: none.
    package func set(bytesPerSecond: Int64?) {
        bucket.withLock { bucket in
            bucket.set(bytesPerSecond: bytesPerSecond, now: ContinuousClock.now - origin)
            isLimited.store(bytesPerSecond != nil, ordering: .releasing)
        }
    }

    /// Takes bytes that have just arrived.
    ///
    /// - Returns: what has to be earned before more may be read, or nil where more may be read at once.
    func take(_ bytes: Int) -> Double? {
        guard isLimited.load(ordering: .acquiring) else { return nil }
        return bucket.withLock { bucket in
            bucket.take(bytes, now: ContinuousClock.now - origin) > .zero ? bucket.mark : nil
        }
    }

    /// How long to read nothing, at the present rate, until a mark is earned.
    func delay(until mark: Double) -> Duration {
        guard isLimited.load(ordering: .acquiring) else { return .zero }
        return bucket.withLock { $0.delay(until: mark, now: ContinuousClock.now - origin) }
    }
}
