import Synchronization

/// Lets a few in at a time, and turns the others away.
package final class NotificationGate: Sendable {
    private let inside = Mutex(0)
    private let limit: Int

    /// Makes a gate.
    package init(limit: Int) { self.limit = limit }

    /// Whether there is room: then it is taken, and `leave()` must follow.
    package func enter() -> Bool {
        inside.withLock { inside in
            guard inside < limit else { return false }
            inside += 1
            return true
        }
    }

    /// Gives the room back.
    package func leave() { inside.withLock { $0 -= 1 } }
}

/// Tells a person how a download ended.
public protocol DownloadNotifier: Sendable {
    /// Shows a notification as well as it can; a failure to do so is nobody's concern.
    ///
    /// It returns within a few seconds, or when its task is cancelled.
    func notify(_ notification: DownloadNotification) async
}
