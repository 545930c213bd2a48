import Dispatch
import HaulCore
import Synchronization

/// What a run and its manager's loop know of the run's slot.
final class QueueSlot: Sendable {
    /// Whether the run has a slot, or asked for one.
    fileprivate enum State { case held, parked, asked }

    private let state = Mutex(State.held)

    /// The run may continue.
    func grant() { state.withLock { $0 = .held } }

    fileprivate func park() { state.withLock { $0 = .parked } }

    /// Notes that the run asks; the state before.
    fileprivate func ask() -> State {
        state.withLock { state in
            defer { if state == .parked { state = .asked } }
            return state
        }
    }
}

/// The slot of a run, which the manager's scheduler gives and takes.
struct QueueRunSlot: RunSlot {
    let slot: QueueSlot
    let id: DownloadID
    let mailbox: Mailbox<ManagerMessage>

    func park() -> Bool {
        slot.park()
        mailbox.post(.parked(id))
        return true
    }

    func reclaim() -> Bool {
        switch slot.ask() {
        case .held: return true
        case .parked: mailbox.post(.returning(id))
        case .asked: break
        }
        return false
    }
}

/// A thread for an actor whose work blocks now and then: here, on the catalogue's file.
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
