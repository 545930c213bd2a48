import HaulCore
import HaulFiles
import HaulLibC
import HaulTransport

/// A running download: passes events to the machine, and carries out its effects, whose outcomes are the next events.
struct DownloadRun {
    /// A message to the loop.
    enum Message: Sendable {
        case event(MachineEvent)
        case notice(Notice)
        case tick
        /// A host grants more connections than before.
        case connectionSlots
    }

    private struct Fetch {
        let sink: any FetchSink
        let handle: any TransferHandle
    }

    private let context: RunContext
    private let content: any ContentStore
    private let requests: RequestBuilder
    /// The engine's rate limit and the download's own.
    private let limiters: [RateLimiter]
    private let mailbox = Mailbox<Message>()
    private let origin: ContinuousClock.Instant
    private var machine: DownloadMachine
    private var generator = SystemRandomNumberGenerator()
    private var fetches: [Int: Fetch] = [:]
    /// True if it runs on a thread that may block briefly.
    private let mayBlock: Bool
    private var connectionSlots: HostConnections
    /// Records what limits the run.
    private let watch: TransferWatch?
    /// Receives the heads of all responses.
    private let observer: ResponseObserver?
    /// A request that was sent before the run was created.
    private var first: EarlyRequest?
    /// The slot among the downloads that run at once.
    private let slot: (any RunSlot)?
    /// The end of the machine's pause before its next attempt; nil if it does not pause.
    private var pausedUntil: Duration?
    /// True if the slot was given up.
    private var isParked = false

    /// Creates a run that saves the file, or passes its bytes to the receiver of a window.
    init(
        _ spec: DownloadSpec, _ options: RunOptions, _ access: SourceAccess, configuration: MachineConfiguration,
        _ context: RunContext, mayBlock: Bool, window: StreamWindow? = nil,
        first: EarlyRequest? = nil
    ) {
        self.first = first
        self.context = context
        origin = context.clock.now
        self.mayBlock = mayBlock
        let mailbox = mailbox
        if let window {
            content = StreamContent(window, url: configuration.url) { mailbox.post(.event($0)) }
        } else {
            content = FileContent(
                spec, options, url: configuration.url, system: context.system, nameCache: context.nameCache
            ) {
                mailbox.post(.notice($0))
            }
        }
        limiters = [context.limiter] + [options.limiter].compactMap(\.self)
        var configuration = configuration
        configuration.proxies = context.proxies
        machine = DownloadMachine(configuration)
        connectionSlots = HostConnections(context.hosts) { mailbox.post(.connectionSlots) }
        requests = RequestBuilder(spec: spec, homes: machine.homes, access: access, context: context)
        slot = options.slot
        watch = options.watch
        observer = options.observer
        watch?.begin(configuration)
    }

    /// Runs the loop.
    ///
    /// Returns when the machine has ended and all its tasks have.
    consuming func run(onEvent: @escaping @Sendable (TransferEvent) -> Void) async -> Result<FinishFacts, DownloadError>
    {
        var run = self
        let mailbox = run.mailbox
        return await withTaskCancellationHandler {
            await withDiscardingTaskGroup { tasks in
                run.connectionSlots.enter(run.machine.hosts)
                let ticks = run.context.ticker.add { mailbox.post(.tick) }
                mailbox.post(.event(.begin))
                while run.machine.result == nil {
                    for message in await mailbox.next() { run.handle(message, in: &tasks, onEvent) }
                }
                // Fetches of optional documents do not delay the end.
                tasks.cancelAll()
                run.context.ticker.remove(ticks)
                run.first?.handle.cancel()
                run.connectionSlots.leave()
            }
            let result = run.machine.result ?? .failure(DownloadError(.internal, "the download ended without a result"))
            return result.map(run.identified)
        } onCancel: {
            mailbox.post(.event(.stop))
        }
    }

    private mutating func handle(
        _ message: Message, in tasks: inout DiscardingTaskGroup, _ onEvent: @Sendable (TransferEvent) -> Void
    ) {
        if case .notice(let notice) = message { return onEvent(.notice(notice)) }
        let now = context.clock.now - origin
        guard hasTurn(now: now) else {
            // The ends of fetches are handled in any case, but nothing is started before there is a slot.
            switch message {
            case .event(let event): handle(event, now: now, in: &tasks, onEvent)
            case .tick where machine.isOverdue(now: now): handle(.tick([]), now: now, in: &tasks, onEvent)
            case .tick, .notice, .connectionSlots: break
            }
            return
        }
        // This comes first, so that the machine decides by the current quotas.
        for event in connectionSlots.changedQuotas(now: now) { handle(event, now: now, in: &tasks, onEvent) }
        switch message {
        case .notice, .connectionSlots: return
        case .event(let event): handle(event, now: now, in: &tasks, onEvent)
        case .tick: handle(.tick(fetches.values.map(\.sink.sample)), now: now, in: &tasks, onEvent)
        }
        parkIfPaused(now: now)
    }

    /// Returns true if the run may continue: after a pause in which it gave up its slot, it needs one again.
    private mutating func hasTurn(now: Duration) -> Bool {
        guard isParked, fetches.isEmpty, now >= pausedUntil ?? .zero else { return true }
        isParked = slot?.reclaim { [mailbox] in mailbox.post(.tick) } == false
        if !isParked { pausedUntil = nil }
        return !isParked
    }

    /// Gives up the slot once no fetch is running.
    private mutating func parkIfPaused(now: Duration) {
        guard let pausedUntil, !isParked else { return }
        guard now < pausedUntil else { return self.pausedUntil = nil }
        if fetches.isEmpty { isParked = slot?.park() == true }
    }

    private mutating func handle(
        _ event: MachineEvent, now: Duration, in tasks: inout DiscardingTaskGroup,
        _ onEvent: @Sendable (TransferEvent) -> Void
    ) {
        switch event {
        case .ended(let id, _, let end):
            fetches[id] = nil
            if case .fileFailed(let error) = end { content.didFail(error) }
        case .fileFailed(let error): content.didFail(error)
        case .begin, .located, .head, .prepared, .reopened, .tick, .takenOver, .checkpointed, .distrusted,
            .consumed, .verified, .piecesChecked, .published, .closed, .described, .host, .stop:
            break
        }
        let effects = machine.handle(event, now: now, using: &generator)
        watch?.observe(event, effects, machine, now: now)
        for effect in effects { perform(effect, now: now, in: &tasks, onEvent) }
        switch event {
        case .tick, .consumed: for fetch in fetches.values { fetch.handle.wake() }
        case .begin, .located, .head, .prepared, .reopened, .takenOver, .ended, .checkpointed, .distrusted,
            .verified, .piecesChecked, .published, .closed, .fileFailed, .described, .host, .stop:
            break
        }
    }

    private mutating func perform(
        _ effect: MachineEffect, now: Duration, in tasks: inout DiscardingTaskGroup,
        _ onEvent: @Sendable (TransferEvent) -> Void
    ) {
        switch effect {
        case .emit(.started(var facts)):
            facts.partial = content.partialIdentity
            onEvent(.started(facts))
        case .emit(.finished(let facts)): onEvent(.finished(identified(facts)))
        case .emit(.waiting(let reason, let seconds)):
            // A little early rather than late: when the machine's pause ends, there must be a slot.
            if slot != nil, reason.isBetweenAttempts {
                pausedUntil = now + .seconds(min(seconds, 1e9)) - .milliseconds(1)
            }
            onEvent(.waiting(reason, seconds: seconds))
        case .emit(let event): onEvent(event)
        case .network(let effect): perform(effect, in: &tasks)
        case .content(let effect):
            if effect == .save || effect == .discard { content.stop() }
            if mayBlock, let outcome = content.performIfQuick(effect) { return mailbox.post(.event(outcome)) }
            let (content, mailbox) = (content, mailbox)
            tasks.addTask { mailbox.post(.event(await content.perform(effect))) }
        case .digest(let effect): content.update(effect)
        case .host(let number, let report):
            if number >= connectionSlots.count { connectionSlots.enter(machine.hosts) }
            connectionSlots.send(number, report, now: now)
        }
    }

    private mutating func perform(_ effect: NetworkEffect, in tasks: inout DiscardingTaskGroup) {
        switch effect {
        case .fetch(let plan): start(plan)
        case .cancel(let id):
            fetches[id]?.handle.cancel()
            (fetches[id]?.sink as? SegmentSink)?.settle()
        case .attach(let id, let segment, let end, let isLimit):
            guard let fetch = fetches[id], let sink = fetch.sink as? SegmentSink,
                let target = content.target(segment: segment, start: 0)
            else { return }
            if sink.attach(target, end: end, isLimit: isLimit) {
                tasks.addTask { await BlockingQueue(label: "haul.files").run { sink.settle() } }
            } else {
                fetch.handle.wake()
            }
        case .takeOver(let id, let segment, let offset):
            let granted = fetches[id]?.sink.cursor.lowerEnd(to: offset) ?? false
            mailbox.post(.event(.takenOver(fetch: id, segment: segment, at: offset, granted: granted)))
        case .describe(let url, let hop):
            let (fetch, mailbox) = (DescriptionFetch(url, hopWithoutTLS: hop, requests, context), mailbox)
            tasks.addTask { mailbox.post(.event(.described(await fetch.run()))) }
        }
    }

    private func identified(_ facts: FinishFacts) -> FinishFacts {
        var facts = facts
        if !facts.kept, let file = content.finished { (facts.file, facts.fileModified) = (file.file, file.modified) }
        return facts
    }

    private func target(_ plan: FetchPlan) -> SegmentWriter.Target? {
        guard let id = plan.segment, let segment = machine.map.segment(id) else { return nil }
        return content.target(segment: id, start: segment.start)
    }

    private func sink(for plan: FetchPlan) -> any FetchSink {
        let (mailbox, content) = (mailbox, content)
        let reader = HeadReader(
            plan: plan, cookies: requests.cookies, login: requests.login(for: plan), observer: observer,
            wallClock: context.clock.seconds)
        let report: @Sendable (MachineEvent) -> Void = { mailbox.post(.event($0)) }
        switch plan.hedge {
        case .untilWhole(let original):
            return BackupSink(
                reader, original: fetches[original]?.sink.cursor, limiters: limiters, content: content,
                report: report)
        case .untilResponse(let original):
            return SegmentSink(
                reader, target: target(plan), limiters: limiters, original: fetches[original]?.sink.cursor,
                report: report)
        case nil:
            let target = plan.isProof ? content.comparison : target(plan)
            return SegmentSink(reader, target: target, limiters: limiters, report: report)
        }
    }

    private mutating func start(_ plan: FetchPlan) {
        let sink = sink(for: plan)
        if let first, first.serves(plan) {
            self.first = nil
            fetches[plan.id] = Fetch(sink: sink, handle: first.leave(to: sink))
            return
        }
        var request = requests.request(for: plan)
        // Only the first request: further connections are spread over the event loops.
        request.staysOnEventLoop = plan.segment == nil
        request.largestRead = { [limiters] in limiters.reduce(.max) { min($0, $1.largestRead) } }
        if let proxy = request.proxy { watch?.goes(through: proxy.host) }
        fetches[plan.id] = Fetch(sink: sink, handle: context.transport.start(request, sink: sink))
    }
}
