/// What happens to the downloads of a manager, or to one of them: see `DownloadManager.events(since:)` and `Download.events`.
///
/// State events come once, in order, without gaps (guarantee: events); progress is coalesced, the newest wins. Each loop over it is a
/// subscription of its own, which ends when the loop is left. It ends by itself when the manager is closed (who has not heard all by
/// then finds the rest at the next launch, by `events(since:)`), and for one download after its removal.
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
    /// Whether it begins after what the program has seen, and notes what it sees.
    var isUnseen = false
    /// Whether it ends where nothing new is left to tell.
    var endsAtPresent = false

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        private let backend: any ManagerBackend
        private let download: DownloadID?
        private var number: Int64?
        private var progressVersion: UInt64 = 0
        private var ready: [DownloadEvent] = []
        private var isOver = false
        /// What the program has not seen is told, and noted once it has.
        private let isUnseen: Bool
        private let endsAtPresent: Bool
        private var delivered: Int64?

        init(_ events: DownloadEvents) {
            backend = events.manager.backend
            download = events.download
            number = events.since
            isUnseen = events.isUnseen
            endsAtPresent = events.endsAtPresent
        }

        /// The next event; nil when the subscription is over or its task cancelled.
        public mutating func next() async -> DownloadEvent? {
            await next(isolation: nil)
        }

        /// The next event; nil when the subscription is over or its task cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> DownloadEvent? {
            if let seen = delivered.take() { await backend.saw(seen) }
            if isUnseen, number == nil { number = await backend.seenEvent ?? backend.hub.last }
            while !isOver {
                if let event = ready.popLast() {
                    if isUnseen, event.kind.isNumbered { delivered = event.number }
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
            guard let number, number <= backend.hub.last else {
                return take(await backend.present(download))
            }
            switch backend.hub.poll(after: number, progressAfter: progressVersion, of: download) {
            case .events(let events, let last): take(events, upTo: last)
            case .behind:
                take(await backend.recorded(after: number, of: download))
            case .progress where endsAtPresent, .nothing where endsAtPresent: isOver = true
            case .progress(let events, let version):
                progressVersion = version
                ready = events.reversed()
            case .nothing:
                await backend.hub.wait(after: number, progressAfter: progressVersion, of: download)
            case .closed: isOver = true
            }
        }

        private mutating func take(_ replay: ManagerReplay) {
            switch replay {
            case .events(let events, let last): take(events, upTo: last)
            case .gone(let last):
                guard let download, number != nil else { return isOver = true }
                // It was removed, and the event that said so is not kept any more; which of its files went is not known.
                let now = WallClock.milliseconds().date
                take([DownloadEvent(number: last, download: download, time: now, kind: .removed(.none))], upTo: last)
            case .unreadable: isOver = true
            }
        }

        private mutating func take(_ events: [DownloadEvent], upTo last: Int64) {
            number = last
            ready = events.reversed()
        }
    }
}
