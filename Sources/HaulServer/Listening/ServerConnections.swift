import NIOCore
import Synchronization

/// The connections of one listening socket.
///
/// Ensures that idle ones can't keep others out.
///
/// If too many are open, the one that has been idle longest is closed: it sent no request, or all of its requests are
/// complete. Connections with a request in progress, such as streams of events, stay open.
package final class ServerConnections: Sendable {
    private let limit: Int
    private let entries = Mutex(Entries())

    private struct Entries {
        var next = 0
        var all: [Int: Entry] = [:]
        var isOver = false
    }

    private struct Entry {
        let channel: any Channel
        /// The time when it became idle; nil while a request is in progress.
        var idleSince: ContinuousClock.Instant?
    }

    /// Makes an empty list.
    ///
    /// - Parameter limit: The maximum number of open connections while one of them is idle.
    package init(limit: Int) { self.limit = limit }

    /// One of the connections.
    struct Slot: Sendable {
        fileprivate let id: Int
        fileprivate let owner: ServerConnections

        /// Marks the start of a request.
        func begin() { owner.entries.withLock { $0.all[id]?.idleSince = nil } }

        /// Marks the end of a request.
        func end() { owner.entries.withLock { $0.all[id]?.idleSince = .now } }
    }

    /// Adds a new connection, and closes an idle one if there are too many.
    func enter(_ channel: any Channel) -> Slot {
        let (id, surplus, isOver) = entries.withLock { entries in
            entries.next += 1
            let oldest = entries.all.count < limit ? nil : entries.all.compactMap(Self.idle).min { $0.since < $1.since }
            let surplus = oldest.flatMap { entries.all.removeValue(forKey: $0.id) }
            entries.all[entries.next] = Entry(channel: channel, idleSince: .now)
            return (entries.next, surplus, entries.isOver)
        }
        surplus?.channel.close(promise: nil)
        if isOver { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { [self] _ in entries.withLock { _ = $0.all.removeValue(forKey: id) } }
        return Slot(id: id, owner: self)
    }

    /// Closes all connections, and each that still comes: when the socket is no longer served, its client must not wait.
    func closeAll() {
        let channels = entries.withLock { entries in
            entries.isOver = true
            return entries.all.values.map(\.channel)
        }
        for channel in channels { channel.close(promise: nil) }
    }

    private static func idle(_ id: Int, _ entry: Entry) -> (id: Int, since: ContinuousClock.Instant)? {
        entry.idleSince.map { (id, $0) }
    }
}
