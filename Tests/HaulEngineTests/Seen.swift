import Synchronization

/// Bytes that an event handler has seen.
final class Seen: Sendable {
    private let state = Mutex<[UInt8]?>(nil)

    func keep(_ bytes: [UInt8]?) { state.withLock { $0 = bytes } }

    var bytes: [UInt8]? { state.withLock { $0 } }
}
