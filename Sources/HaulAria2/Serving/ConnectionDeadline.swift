import NIOCore
import Synchronization

/// Closes a connection on which a request takes too long to arrive, however slowly its bytes are sent.
final class ConnectionDeadline: Sendable {
    private let channel: any Channel
    private let timer = Mutex<Scheduled<Void>?>(nil)

    init(_ channel: any Channel) { self.channel = channel }

    /// Starts the deadline for a request.
    func set() {
        let next = channel.eventLoop.scheduleTask(in: Aria2Server.patience) { [channel] in
            channel.close(mode: .all, promise: nil)
        }
        replace(next)
    }

    /// Cancels the deadline, because the request has arrived.
    func lift() { replace(nil) }

    private func replace(_ next: Scheduled<Void>?) {
        let last = timer.withLock { timer in
            defer { timer = next }
            return timer
        }
        last?.cancel()
    }

    /// Closes the connection now.
    func close() { channel.close(mode: .all, promise: nil) }
}
