import Dispatch
import HaulCore
import HaulEngine
import Synchronization

/// The state of a run's slot, shared by the run and the manager's loop.
final class QueueSlot: Sendable {
    /// The slot is held, given up, or requested again.
    fileprivate enum Phase { case held, parked, asked }

    /// Wakes the run.
    private struct Wake { var run: @Sendable () -> Void }

    private struct State {
        var phase = Phase.held
        var wake: Wake?
    }

    private let state = Mutex(State())

    /// Lets the run continue.
    func grant() {
        let wake = state.withLock { state in
            state.phase = .held
            return state.wake.take()
        }
        wake?.run()
    }

    fileprivate func park() { state.withLock { $0.phase = .parked } }

    /// Records the run's request, and returns the phase before.
    fileprivate func ask(_ onGrant: @escaping @Sendable () -> Void) -> Phase {
        state.withLock { state in
            defer {
                if state.phase == .parked { state = State(phase: .asked, wake: Wake(run: onGrant)) }
            }
            return state.phase
        }
    }
}

/// The slot of a run, assigned by the manager's scheduler.
struct QueueRunSlot: RunSlot {
    let slot: QueueSlot
    let id: DownloadID
    let mailbox: Mailbox<ManagerMessage>

    func park() -> Bool {
        slot.park()
        mailbox.post(.parked(id))
        return true
    }

    func reclaim() -> Bool { reclaim {} }

    func reclaim(onGrant: @escaping @Sendable () -> Void) -> Bool {
        switch slot.ask(onGrant) {
        case .held: return true
        case .parked: mailbox.post(.returning(id))
        case .asked: break
        }
        return false
    }
}

/// A thread for an actor whose calls may block, here on the catalogue's file.
///
/// The cooperative pool has one thread per core and must never wait for a disk.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}
