import Synchronization

/// The gate of a socket, which is known only once it listens: a port may be the system's choice.
final class GateBox: Sendable {
    private let kept = Mutex<RequestGate?>(nil)

    /// The gate; nil before it is known.
    var gate: RequestGate? {
        get { kept.withLock { $0 } }
        set { kept.withLock { $0 = newValue } }
    }
}
