import HaulCore
import Synchronization

/// Events in the order in which they came.
final class EventLog: Sendable {
    private let state = Mutex<[TransferEvent]>([])

    func add(_ event: TransferEvent) { state.withLock { $0.append(event) } }

    var events: [TransferEvent] { state.withLock { $0 } }
}
