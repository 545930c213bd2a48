import HaulCore
import Synchronization

/// Events in the order in which they came.
final class EventLog: Sendable {
    private let state = Mutex<[DownloadEvent]>([])

    func add(_ event: DownloadEvent) { state.withLock { $0.append(event) } }

    var events: [DownloadEvent] { state.withLock { $0 } }
}
