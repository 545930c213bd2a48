import HaulCore
import Synchronization

/// The hosts that an engine has to do with, and what was learned of them; in memory, for as long as the engine is.
final class HostTable: Sendable {
    /// Beyond so many, those that nobody uses are forgotten.
    private static let maximum = 1024

    private let origin = ContinuousClock.now
    private let limiters = Mutex<[URLOrigin: HostLimiter]>([:])

    /// The time that the governors go by.
    var now: Duration { ContinuousClock.now - origin }

    /// The door of a host, for one download.
    ///
    /// - Parameter wake: Called, on any thread, when the host grants more than before.
    func enter(_ host: URLOrigin, wake: @escaping @Sendable () -> Void) -> ConnectionSlot {
        limiters.withLock { limiters in
            if limiters.count >= Self.maximum, limiters[host] == nil { limiters = limiters.filter { !$0.value.isIdle } }
            let limiter = limiters[host] ?? HostLimiter()
            limiters[host] = limiter
            // Inside the lock, so that nobody forgets the door in between.
            return ConnectionSlot(limiter: limiter, user: limiter.join(wake))
        }
    }

    /// Gives a place back.
    func leave(_ slot: ConnectionSlot, _ host: URLOrigin) {
        slot.limiter.leave(slot.user, now: now)
        guard slot.limiter.isBlank else { return }
        limiters.withLock { limiters in
            if limiters[host]?.isBlank == true { limiters[host] = nil }
        }
    }
}

/// A download among those that use a host.
struct ConnectionSlot: Sendable {
    let limiter: HostLimiter
    let user: Int
}
