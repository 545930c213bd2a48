package import HaulCore

/// The notifications of aria2's interface.
package enum Aria2Notification: String, Hashable, Sendable, CaseIterable {
    case start = "aria2.onDownloadStart"
    case pause = "aria2.onDownloadPause"
    case stop = "aria2.onDownloadStop"
    case complete = "aria2.onDownloadComplete"
    case error = "aria2.onDownloadError"

    /// The names that `system.listNotifications` returns: clients look for the torrents' one there as well.
    package static let listed = allCases.map(\.rawValue) + ["aria2.onBtDownloadComplete"]

    /// Returns the notification as JSON text.
    package func text(_ gid: GID) -> String {
        JSON.object([
            "jsonrpc": .string("2.0"), "method": .string(rawValue),
            "params": .array([.object(["gid": .string(gid.description)])]),
        ]).line
    }
}

/// Converts the events of a manager to notifications.
package struct Aria2Herald: Sendable {
    /// The downloads whose start was the last notification.
    private var started: Set<DownloadID> = []
    /// The downloads that were running at first, and have not started again or ended since.
    private var earlier: Set<DownloadID>

    /// Creates a converter without any events so far.
    ///
    /// - Parameter running: The downloads that are running already: only their end is reported.
    package init(running: Set<DownloadID> = []) { earlier = running }

    /// Returns the notifications for an event.
    ///
    /// For a download that fails before its server has responded, the start is reported first, as in aria2.
    package mutating func receive(_ event: DownloadEvent) -> [Aria2Notification] {
        switch event.kind {
        case .snapshot(let snapshot):
            if Aria2State(snapshot.state) == .active { earlier.insert(event.download) }
            return []
        case .started:
            earlier.remove(event.download)
            return started.insert(event.download).inserted ? [.start] : []
        case .paused: return end(event, .pause)
        case .finished: return beginning(event) + end(event, .complete)
        case .failed: return beginning(event) + end(event, .error)
        case .cancelled: return end(event, .stop)
        case .removed: return isAtWork(event) ? end(event, .stop) : []
        case .waiting(let reason, _):
            switch reason {
            case .linkExpired, .credentials: return end(event, .pause)
            case .space, .openFiles, .network, .meteredNetwork, .start:
                _ = end(event, .stop)
                return []
            case .turn, .host, .connections, .notBefore, .dependency, .serverAsked, .retrying: return []
            }
        // The download was not running all the time.
        case .added, .resumed:
            earlier.remove(event.download)
            return []
        case .progress, .notice, .sourceReplaced, .changed: return []
        }
    }

    private func beginning(_ event: DownloadEvent) -> [Aria2Notification] {
        isAtWork(event) ? [] : [.start]
    }

    private func isAtWork(_ event: DownloadEvent) -> Bool {
        started.contains(event.download) || earlier.contains(event.download)
    }

    private mutating func end(_ event: DownloadEvent, _ notification: Aria2Notification) -> [Aria2Notification] {
        started.remove(event.download)
        earlier.remove(event.download)
        return [notification]
    }
}
