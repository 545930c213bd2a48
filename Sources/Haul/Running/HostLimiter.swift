import HaulCore
import Synchronization

/// One host's governor, shared by all downloads that use the host.
///
/// It is asked and told between events, never while bytes are received.
final class HostLimiter: Sendable {
    private struct State {
        var governor = HostGovernor()
        var wakes: [Int: @Sendable () -> Void] = [:]
        var lastUser = 0
    }

    private let state = Mutex(State())

    var isIdle: Bool { state.withLock { $0.governor.isIdle } }
    var isBlank: Bool { state.withLock { $0.governor.isBlank } }

    /// Adds a download and returns its number: those that came first have the lower ones.
    func join(_ wake: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastUser += 1
            state.wakes[state.lastUser] = wake
            state.governor.join(state.lastUser)
            return state.lastUser
        }
    }

    /// Takes a download away; what it had goes to others.
    func leave(_ user: Int, now: Duration) {
        change(now: now) { state in
            state.wakes[user] = nil
            state.governor.leave(user)
        }
    }

    /// Tells the governor.
    func receive(_ report: HostReport, of user: Int, now: Duration) {
        change(now: now) { $0.governor.receive(report, of: user, now: now) }
    }

    /// What a download may have now.
    func quota(of user: Int, now: Duration) -> ConnectionQuota {
        state.withLock { $0.governor.quota(of: user, now: now) }
    }

    private func change(now: Duration, _ change: (inout State) -> Void) {
        let wakes = state.withLock { state in
            change(&state)
            return state.governor.waking(now: now).compactMap { state.wakes[$0] }
        }
        // Outside the lock: whoever is woken may ask at once.
        for wake in wakes { wake() }
    }
}
