/// What happens to the downloads of a manager, or to one of them: see `DownloadManager.events(since:)` and `Download.events`.
///
/// State events come once, in order, without gaps (guarantee: events); progress is coalesced, the newest wins. Each loop over it is a
/// subscription of its own, which ends when the loop is left. It ends by itself when the manager is closed, and for one download
/// after its removal.
public struct DownloadEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = DownloadEvent
    /// It never fails.
    public typealias Failure = Never

    let manager: DownloadManager
    /// The only download that is meant; nil: all.
    let download: DownloadID?
    /// The number after which events are replayed; nil: from now on, the present state first.
    let since: Int64?

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        private let manager: DownloadManager
        private let download: DownloadID?
        private var number: Int64?
        private var progressVersion: UInt64 = 0
        private var ready: [DownloadEvent] = []
        private var isOver = false

        init(_ events: DownloadEvents) {
            manager = events.manager
            download = events.download
            number = events.since
        }

        /// The next event; nil when the subscription is over or its task cancelled.
        public mutating func next() async -> DownloadEvent? {
            await next(isolation: nil)
        }

        /// The next event; nil when the subscription is over or its task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DownloadEvent? {
            while !isOver {
                if let event = ready.popLast() {
                    if case .removed = event.kind, download == event.download { isOver = true }
                    return event
                }
                if Task.isCancelled { break }
                await refill()
            }
            return nil
        }

        /// Fetches what is new, or waits for it.
        private mutating func refill() async {
            // A number that was never given is one of another list: what is told here begins anew.
            guard let number, number <= manager.hub.last else {
                let (present, last) = await manager.present(download)
                take(present, upTo: last)
                // No identity is given twice: nothing will ever happen to one that is not there.
                isOver = download != nil && present.isEmpty
                return
            }
            switch manager.hub.poll(after: number, progressAfter: progressVersion, of: download) {
            case .events(let events, let last): take(events, upTo: last)
            case .behind:
                let (events, last) = await manager.recorded(after: number, of: download)
                isOver = events.isEmpty && manager.hub.isClosed
                take(events, upTo: last)
            case .progress(let events, let version):
                progressVersion = version
                ready = events.reversed()
            case .nothing:
                await manager.hub.wait(after: number, progressAfter: progressVersion, of: download)
            case .closed: isOver = true
            }
        }

        private mutating func take(_ events: [DownloadEvent], upTo last: Int64) {
            number = last
            ready = events.reversed()
        }
    }
}
