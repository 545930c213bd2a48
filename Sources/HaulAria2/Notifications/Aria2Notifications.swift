package import Haul
package import HaulCore

/// What happens to the downloads of a manager, as JSON texts for a WebSocket; each loop over it is a subscription of its own.
///
/// It ends when the manager is closed, or the loop's task cancelled.
package struct Aria2Notifications: AsyncSequence, Sendable {
    /// What happened to which download.
    package struct Element: Hashable, Sendable {
        /// What happened.
        package let notification: Aria2Notification
        /// To which one.
        package let gid: GID
        /// The same in the manager's words.
        package let id: DownloadID

        /// As it is sent.
        package var text: String { notification.text(gid) }
    }
    /// It never fails.
    package typealias Failure = Never

    private let manager: DownloadManager
    private let since: Int64

    /// Those of a manager, from now on.
    package init(_ manager: DownloadManager) {
        self.manager = manager
        since = manager.lastEventNumber
    }

    /// Subscribes; each loop begins with what has happened since this value was made.
    package func makeAsyncIterator() -> Iterator { Iterator(manager, since: since) }

    /// One subscription.
    package struct Iterator: AsyncIteratorProtocol {
        private let manager: DownloadManager
        private var events: DownloadEvents.Iterator
        /// Begins with those that run already.
        private var herald: Aria2Herald?
        /// The identities of those that may be removed before they are asked for.
        private var gids: [DownloadID: GID] = [:]
        private var ready: [Element] = []

        init(_ manager: DownloadManager, since: Int64) {
            self.manager = manager
            events = manager.events(since: since).makeAsyncIterator()
        }

        /// The next one; nil when there will be none.
        package mutating func next() async -> Element? { await next(isolation: nil) }

        /// The next one; nil when there will be none.
        package mutating func next(isolation actor: isolated (any Actor)?) async -> Element? {
            var herald = if let herald = herald.take() { herald } else { await begin() }
            defer { self.herald = herald }
            while ready.isEmpty {
                guard let event = await events.next(isolation: actor) else { return nil }
                let reported = herald.receive(event)
                guard event.kind.isNumbered else { continue }
                let gid = await gid(event)
                if case .removed = event.kind { gids[event.download] = nil }
                ready = reported.map { Element(notification: $0, gid: gid, id: event.download) }
            }
            return ready.removeFirst()
        }

        private mutating func begin() async -> Aria2Herald {
            // A list that can't be read tells nothing either.
            let running = (try? await manager.snapshots(.state(.running), limit: 1000)) ?? []
            for snapshot in running { gids[snapshot.id] = GID(of: snapshot) }
            return Aria2Herald(running: Set(gids.keys))
        }

        /// Looked up with the first event of a download and kept until its end, as a record that has gone can't be asked.
        private mutating func gid(_ event: DownloadEvent) async -> GID {
            if let known = gids[event.download] { return known }
            var gid = GID(event.download)
            // One that was removed meanwhile, or a list that can't be read: the identity that its number gives.
            if let found = try? await manager.snapshot(event.download) { gid = GID(of: found) }
            if !event.kind.endsRun { gids[event.download] = gid }
            return gid
        }
    }
}
