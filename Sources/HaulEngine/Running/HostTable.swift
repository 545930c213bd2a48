import HaulCore
import HaulLibC
import Synchronization

/// The hosts used by an engine and what was learned about them; in memory, for the lifetime of the engine.
final class HostTable: Sendable {
    /// Above this number, hosts that no download uses are forgotten.
    private static let maximum = 1024

    private let clock: TimeSource
    private let origin: ContinuousClock.Instant
    private let limiters = Mutex<[URLOrigin: HostLimiter]>([:])

    /// Creates an empty table.
    init(_ clock: TimeSource) {
        self.clock = clock
        origin = clock.now
    }

    /// The time for the governors.
    var now: Duration { clock.now - origin }

    /// Returns a slot at a host for one download.
    ///
    /// - Parameter wake: Called, on any thread, when the host grants more than before.
    func enter(_ host: URLOrigin, wake: @escaping @Sendable () -> Void) -> ConnectionSlot {
        limiters.withLock { limiters in
            if limiters.count >= Self.maximum, limiters[host] == nil { limiters = limiters.filter { !$0.value.isIdle } }
            let limiter = limiters[host] ?? HostLimiter()
            limiters[host] = limiter
            // Inside the lock, so that the limiter is not removed in between.
            return ConnectionSlot(limiter: limiter, user: limiter.join(wake))
        }
    }

    /// Releases a slot.
    func leave(_ slot: ConnectionSlot, _ host: URLOrigin) {
        slot.limiter.leave(slot.user, now: now)
        guard slot.limiter.isBlank else { return }
        limiters.withLock { limiters in
            if limiters[host]?.isBlank == true { limiters[host] = nil }
        }
    }
}

/// A download's membership in the limiter of a host.
struct ConnectionSlot: Sendable {
    let limiter: HostLimiter
    let user: Int
}
