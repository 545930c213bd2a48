public import HaulCore
import HaulLibC

/// The events of a manager's downloads, or of one of them: see `DownloadManager.events(since:)` and `Download.events`.
///
/// State events come once, in order, without gaps (guarantee: events); progress is coalesced, so that only the newest
/// is delivered. Each loop over the sequence is a subscription of its own, which ends with the loop. The sequence ends
/// when the manager is closed (`events(since:)` delivers any remaining events at the next launch), and for one download
/// after its removal. It also ends if the list can't be read any more. If the task of the loop is cancelled, it throws
/// `CancellationError`.
public struct DownloadEvents: AsyncSequence, Sendable {
    /// The element type.
    public typealias Element = DownloadEvent
    /// The sequence throws only if the task that waits is cancelled.
    public typealias Failure = CancellationError

    let manager: DownloadManager
    /// The only download to report; nil: all.
    let download: DownloadID?
    /// The number after which events are replayed; nil: start with the present state.
    let since: Int64?
    /// True if it begins after the last event that the program has seen, and records what has been seen.
    var isUnseen = false
    /// True if it ends when nothing new is left.
    var endsAtPresent = false

    /// Starts a subscription.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// A subscription.
    public struct Iterator: AsyncIteratorProtocol {
        private let backend: any ManagerBackend
        private let download: DownloadID?
        private var number: Int64?
        private var progressVersion: UInt64 = 0
        private var ready: [DownloadEvent] = []
        /// The number up to which events were skipped, until that is delivered.
        private var skipped: Int64?
        private var isOver = false
        /// The error of reading that ended the subscription of an open manager; nil if there was none.
        package private(set) var failure: DownloadError?
        /// True if it delivers the events that the program has not seen, and records each as seen afterwards.
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

        /// Returns the next event; nil when the subscription is over.
        ///
        /// - Throws: `CancellationError` if the task is cancelled.
        public mutating func next() async throws(CancellationError) -> DownloadEvent? {
            try await next(isolation: nil)
        }

        /// Returns the next event; nil when the subscription is over.
        ///
        /// - Throws: `CancellationError` if the task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(CancellationError) -> DownloadEvent? {
            if let event = await uncancelled(isolation: actor) { return event }
            // The only other reason is that the task is cancelled.
            guard isOver else { throw CancellationError() }
            return nil
        }

        /// Returns the next event; nil when the subscription is over or the task is cancelled.
        package mutating func uncancelled(isolation actor: isolated (any Actor)? = #isolation) async -> DownloadEvent? {
            while let step = await step(isolation: actor) {
                if case .event(let event) = step { return event }
            }
            return nil
        }

        /// Returns the next event, or that some were skipped; nil when the subscription is over or the task is cancelled.
        fileprivate mutating func step(isolation actor: isolated (any Actor)?) async -> Step? {
            if let seen = delivered.take() { await backend.saw(seen) }
            if isUnseen, number == nil { number = await backend.seenEvent ?? backend.hub.last }
            while !isOver {
                if let number = skipped.take() { return .skipped(upTo: number) }
                if let event = ready.popLast() {
                    if isUnseen, event.kind.isNumbered { delivered = event.number }
                    if case .removed = event.kind, download == event.download { isOver = true }
                    return .event(event)
                }
                if Task.isCancelled { break }
                await refill()
            }
            return nil
        }

        /// Fetches new events, or waits for them.
        private mutating func refill() async {
            // A larger number than the last one comes from another list: start with the present state.
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
            case .events(let events, let last):
                backend.hub.dropProgress(before: events)
                take(events, upTo: last)
            case .skipped(let events, let last):
                skipped = last
                backend.hub.dropProgress(before: events)
                take(events, upTo: last)
            case .gone(let last):
                guard let download, number != nil else { return isOver = true }
                // It was removed, and the event that reported this is no longer kept; which of its files were deleted
                // is not known.
                let now = WallClock.milliseconds().date
                take([DownloadEvent(number: last, download: download, time: now, kind: .removed(.none))], upTo: last)
            case .unreadable(let error):
                // The end of the task comes first: the caller gets `CancellationError`.
                guard !Task.isCancelled else { return }
                isOver = true
                if !backend.hub.isClosed { failure = error }
            }
        }

        private mutating func take(_ events: [DownloadEvent], upTo last: Int64) {
            number = last
            ready = events.reversed()
        }
    }
}

extension DownloadEvents {
    /// A step of a subscription.
    package enum Step: Sendable {
        /// An event.
        case event(DownloadEvent)
        /// The events up to this number are no longer kept: the state must be read again.
        case skipped(upTo: Int64)
    }

    /// The same events, and where some are missing, as a sequence that ends when the task is cancelled.
    package struct Steps: AsyncSequence, Sendable {
        /// The element type.
        package typealias Element = Step
        /// The sequence never throws.
        package typealias Failure = Never

        fileprivate let events: DownloadEvents

        /// Starts a subscription.
        package func makeAsyncIterator() -> Iterator { Iterator(base: events.makeAsyncIterator()) }

        /// A subscription.
        package struct Iterator: AsyncIteratorProtocol {
            fileprivate var base: DownloadEvents.Iterator

            /// Returns the next step; nil when the subscription is over or the task is cancelled.
            package mutating func next() async -> Step? { await base.step(isolation: nil) }

            /// Returns the next step; nil when the subscription is over or the task is cancelled.
            package mutating func next(isolation actor: isolated (any Actor)?) async -> Step? {
                await base.step(isolation: actor)
            }
        }
    }

    /// The same events, and where some are missing.
    package var steps: Steps { Steps(events: self) }

    /// The same events as a sequence that ends when the task is cancelled.
    package var uncancelled: AsyncCompactMapSequence<Steps, DownloadEvent> {
        steps.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }
}
