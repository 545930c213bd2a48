import Synchronization

/// Lets a limited number of callers in at a time, and rejects the others.
package final class NotificationGate: Sendable {
    private let inside = Mutex(0)
    private let limit: Int

    /// Creates a gate.
    package init(limit: Int) { self.limit = limit }

    /// Returns true if there is room, which is then taken: `leave()` must follow.
    package func enter() -> Bool {
        inside.withLock { inside in
            guard inside < limit else { return false }
            inside += 1
            return true
        }
    }

    /// Makes room again.
    package func leave() { inside.withLock { $0 -= 1 } }
}

/// Notifies the user of the end of a download.
public protocol DownloadNotifier: Sendable {
    /// Shows a notification if possible; failures are ignored.
    ///
    /// It returns within a few seconds, or when its task is cancelled.
    func notify(_ notification: DownloadNotification) async
}
