import HaulCore
import Synchronization

/// The governor of a host, shared by all downloads from that host.
///
/// It is used between events, never while bytes are received.
final class HostLimiter: Sendable {
    private struct State {
        var governor = HostGovernor()
        var wakes: [Int: @Sendable () -> Void] = [:]
        var lastUser = 0
    }

    private let state = Mutex(State())

    var isIdle: Bool { state.withLock { $0.governor.isIdle } }
    var isBlank: Bool { state.withLock { $0.governor.isBlank } }

    /// Adds a download and returns its number, which is higher than those of earlier downloads.
    func join(_ wake: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.lastUser += 1
            state.wakes[state.lastUser] = wake
            state.governor.join(state.lastUser)
            return state.lastUser
        }
    }

    /// Removes a download; its connections become available to others.
    func leave(_ user: Int, now: Duration) {
        change(now: now) { state in
            state.wakes[user] = nil
            state.governor.leave(user)
        }
    }

    /// Passes a report to the governor.
    func receive(_ report: HostReport, of user: Int, now: Duration) {
        change(now: now) { $0.governor.receive(report, of: user, now: now) }
    }

    /// Returns the current quota of a download.
    func quota(of user: Int, now: Duration) -> ConnectionQuota {
        state.withLock { $0.governor.quota(of: user, now: now) }
    }

    private func change(now: Duration, _ change: (inout State) -> Void) {
        let wakes = state.withLock { state in
            change(&state)
            return state.governor.waking(now: now).compactMap { state.wakes[$0] }
        }
        // Outside the lock, because the callbacks may call back at once.
        for wake in wakes { wake() }
    }
}
