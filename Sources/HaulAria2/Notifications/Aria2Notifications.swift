package import Haul
package import HaulCore

/// The notifications about the downloads of a manager, for a WebSocket; each iteration is a subscription of its own.
///
/// It ends when the manager is closed, or the iterating task is cancelled.
package struct Aria2Notifications: AsyncSequence, Sendable {
    /// A notification about a download.
    package struct Element: Hashable, Sendable {
        /// The kind of notification.
        package let notification: Aria2Notification
        /// The GID of the download.
        package let gid: GID
        /// The manager's id of the download.
        package let id: DownloadID

        /// The text that is sent.
        package var text: String { notification.text(gid) }
    }
    /// The sequence never fails.
    package typealias Failure = Never

    private let manager: DownloadManager
    private let since: Int64

    /// Creates the notifications of a manager, beginning now.
    package init(_ manager: DownloadManager) {
        self.manager = manager
        since = manager.lastEventNumber
    }

    /// Subscribes; each iteration begins with the events since this value was created.
    package func makeAsyncIterator() -> Iterator { Iterator(manager, since: since) }

    /// A subscription.
    package struct Iterator: AsyncIteratorProtocol {
        private let manager: DownloadManager
        private var events: DownloadEvents.Iterator
        /// The converter, which begins with the downloads that are running already.
        private var herald: Aria2Herald?
        /// The GIDs of downloads that may be removed before they are looked up.
        private var gids: [DownloadID: GID] = [:]
        private var ready: [Element] = []

        init(_ manager: DownloadManager, since: Int64) {
            self.manager = manager
            events = manager.events(since: since).makeAsyncIterator()
        }

        /// Returns the next notification; nil at the end.
        package mutating func next() async -> Element? { await next(isolation: nil) }

        /// Returns the next notification; nil at the end.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            var herald = if let herald = herald.take() { herald } else { await begin() }
            defer { self.herald = herald }
            while ready.isEmpty {
                guard let event = await events.uncancelled(isolation: actor) else { return nil }
                let reported = herald.receive(event)
                guard event.kind.isNumbered else { continue }
                let gid = await gid(event)
                if case .removed = event.kind { gids[event.download] = nil }
                ready = reported.map { Element(notification: $0, gid: gid, id: event.download) }
            }
            return ready.removeFirst()
        }

        private mutating func begin() async -> Aria2Herald {
            // If the list cannot be read, there are no events either.
            let running = (try? await manager.snapshots(.state(.running), limit: 1000)) ?? []
            for snapshot in running { gids[snapshot.id] = GID(of: snapshot) }
            return Aria2Herald(running: Set(gids.keys))
        }

        /// Returns the GID of an event's download.
        ///
        /// It is looked up with the first event and kept until the download ends, because a removed record cannot be
        /// looked up.
        private mutating func gid(_ event: DownloadEvent) async -> GID {
            if let known = gids[event.download] { return known }
            var gid = GID(event.download)
            // If it was removed meanwhile, or the list cannot be read, the GID is derived from its number.
            if let found = try? await manager.snapshot(event.download) { gid = GID(of: found) }
            if !event.kind.endsRun { gids[event.download] = gid }
            return gid
        }
    }
}
