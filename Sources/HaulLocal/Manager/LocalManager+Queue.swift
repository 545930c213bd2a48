import HaulCore
import HaulEngine
import HaulFiles
import HaulLibC
import HaulManager
import HaulStore
import Logging

/// The queue: waiting and starting.
extension LocalManager {
    /// Adds a download to the scheduler, as the catalogue knows it.
    func enqueue(_ id: DownloadID) {
        do throws(DownloadError) {
            try usingList { () throws(DownloadError) in
                guard let row = try catalogue.queueEntry(id) else { return }
                let others = mayHaveDependencies ? Set(try catalogue.blockers(of: id).map(\.after)) : []
                dependencies.add(id, after: others)
                if others.isEmpty { scheduler.add(QueueEntry(row)) }
            }
        } catch {
            unstarted.insert(id)
            mailbox.post(.wake)
        }
    }

    /// Adds a download to the scheduler again if it waits there, after its options have changed.
    func requeue(_ id: DownloadID) {
        if scheduler.remove(id) != nil || dependencies.remove(id) { enqueue(id) }
    }

    /// Lets the downloads have their turn that waited only for this one, which has finished or was removed.
    func resolve(_ id: DownloadID) {
        outdated.formUnion(dependencies.dependents(of: id).filter { dependencies.blocker(of: $0) == id })
        for dependent in dependencies.resolve(id) { enqueue(dependent) }
    }

    func dequeue(_ id: DownloadID) {
        _ = scheduler.remove(id)
        dependencies.remove(id)
        unstarted.remove(id)
        (short[id], shortages[id]) = (nil, nil)
    }

    /// Starts each download whose turn has come.
    ///
    /// If the catalogue can't record a start, the others would fail, too: they wait until writing is attempted again.
    func startDue(in tasks: inout DiscardingTaskGroup) {
        while let id = scheduler.nextBack() { live[id]?.slot.grant() }
        guard !isClosing, unstarted.isEmpty, startHolds == 0 else { return }
        while let entry = scheduler.next(now: clock.milliseconds()) {
            do throws(DownloadError) {
                try start(entry.id)
            } catch {
                scheduler.ended(entry.id)
                unstarted.insert(entry.id)
                return
            }
        }
    }

    /// Adds the start of a download to the group.
    private func start(_ id: DownloadID) throws(DownloadError) {
        guard let record = try catalogue.record(id) else { return scheduler.ended(id) }
        var batch = Batch()
        if record.lacksSecrets, secrets[id] == nil {
            scheduler.ended(id)
            _ = decide(record.standing, .lackCredentials, &batch)
            return group(batch, then: .held(id))
        }
        let spec = secrets[id] ?? record.spec
        guard !isBarred(spec) else { return awaitOtherNetwork(id) }
        guard case .done = decide(record.standing, .grant, &batch) else { return scheduler.ended(id) }
        live[id] = LiveDownload(record, spec: spec, clock)
        group(batch, then: .start(id, record))
    }

    /// Starts the run of a download whose start is recorded.
    ///
    /// If it could not be recorded, the download waits until writing is attempted again.
    func startRecorded(
        _ id: DownloadID, _ record: StoredRecord, _ failure: DownloadError?, in tasks: inout DiscardingTaskGroup
    ) {
        guard failure == nil, let entry = live[id] else {
            live[id] = nil
            scheduler.ended(id)
            unstarted.insert(id)
            return mailbox.post(.wake)
        }
        let spec = configuration.addressRule?.spec(forRunOf: entry.spec) ?? entry.spec
        var options = RunOptions(record, entry, catalogue, mailbox)
        // The network may come back while other downloads of the list run.
        options.retriesUnreachable = configuration.retriesUnreachable
        configuration.folderRule?.apply(to: &options)
        if unrepeatable.remove(id) != nil {
            let error = DownloadError(.badResponse, "the program ended during the request")
            return mailbox.post(.ended(id, .failure(error.notRepeating(spec.source.requestMethod))))
        }
        let folders = spec.folders(targetPath: record.targetPath)
        let executor = engine.eventLoopExecutor(for: spec)
        tasks.addTask(executorPreference: executor) {
            [engine, runs, mailbox, rule = configuration.folderRule, probe = configuration.network, self] in
            // The threads of the event loops may block for a few short file calls, see docs/decisions/0009.
            let refusal = executor == nil ? await refusal(of: folders) : rule?.refusal(of: folders)
            if let refusal { return mailbox.post(.ended(id, .failure(refusal))) }
            let watch = NetworkWatch(spec, to: engine.firstHosts(of: spec), probe) { entry.stop.set() }
            let emit: @Sendable (TransferEvent) -> Void = { event in
                watch.receive(event)
                mailbox.post(.emitted(id, event))
            }
            let result =
                if let runs {
                    await runs.run(id, spec, options, engine, until: entry.stop, onEvent: emit)
                } else {
                    await engine.run(spec, options, until: entry.stop, onEvent: emit)
                }
            mailbox.post(.ended(id, await watch.result(result)))
        }
    }

    /// The number of downloads whose new reasons are reported in one turn.
    private static let reasonsPerTurn = 500

    /// Adds the new reasons of downloads whose reported reason is no longer true to the group.
    ///
    /// Those that have just been started need none, so this follows `startDue`.
    func reportReasons() {
        guard !isClosing, unstarted.isEmpty, startHolds == 0 else { return }
        let now = clock.milliseconds()
        outdated.formUnion(scheduler.due(after: passedUntil, until: now))
        passedUntil = now
        guard !outdated.isEmpty else { return }
        let portion = Array(outdated.prefix(Self.reasonsPerTurn))
        outdated.subtract(portion)
        var batch = Batch()
        for id in portion where scheduler.isWaiting(id) || dependencies.blocker(of: id) != nil {
            let reason = waitReason(id)
            let kind: DownloadEvent.Kind =
                if case .notBefore(let time) = reason { .waiting(reason, until: time) } else {
                    .waiting(reason, until: nil)
                }
            // It has no run that could end.
            if !kind.endsRun { add(kind, of: id, now, &batch) }
        }
        group(batch, then: .none)
        if !outdated.isEmpty { mailbox.post(.wake) }
    }

    /// The number of downloads, from the start of the list, whose new reasons are reported when the limits change, or
    /// after others were read as about to start.
    static let reasonsPerChange = 1_000

    /// Applies settings; the reasons that change with the limits are reported.
    ///
    /// Only those of the first downloads: for a queue of 100,000, that many events would cost more than they are worth.
    func apply(_ settings: ManagerSettings) {
        let hasNewLimits = settings.limit != self.settings.limit || settings.hostLimit != self.settings.hostLimit
        // Without the list, nothing is reported: the followers keep the old reasons, as those of later downloads.
        let first =
            hasNewLimits
            ? (try? catalogue.ids(StoredFilter(states: [.queued]), after: nil, limit: Self.reasonsPerChange))?.ids ?? []
            : []
        let before = first.map(waitReason)
        self.settings = settings
        configureScheduler()
        for (id, reason) in zip(first, before) where waitReason(id) != reason { outdated.insert(id) }
    }

    /// Returns the error if nothing may be written to or removed from one of these folders; nil if it may.
    nonisolated func refusal(of folders: [String]) async -> DownloadError? {
        guard let rule = configuration.folderRule else { return nil }
        // A queue of its own: a disk that does not respond must not keep the others waiting.
        return await BlockingQueue(label: "haul.places").run { rule.refusal(of: folders) }
    }

    /// Returns the reason why a queued download does not run.
    func waitReason(_ id: DownloadID) -> WaitReason {
        if let other = dependencies.blocker(of: id) { return .dependency(other) }
        switch short[id]?.kind {
        case .files: return .openFiles
        case .network: return .network
        case .metered: return .meteredNetwork
        case .space: return .space(bytes: short[id]?.room.missing ?? 0)
        case nil: break
        }
        switch scheduler.reason(id, now: clock.milliseconds()) {
        case .turn(let limit): return crowd.limits(settings.limit) ? .openFiles : .turn(limit: limit)
        case .host(let host, let limit): return .host(catalogue.hostName(host) ?? "its host", limit: limit)
        case .notBefore(let time): return .notBefore(time.date)
        case .start, .notWaiting: return .start
        }
    }

    /// Sets the alarms that wake the loop when something comes due.
    func setAlarms(in tasks: inout DiscardingTaskGroup) {
        // Read first: if a test moves its clock meanwhile, the alarms come early, and are set again.
        let instant = clock.now
        let now = clock.milliseconds()
        if let wake = scheduler.nextWake(now: now) { set(.start(wake), in: .milliseconds(wake - now), instant, &tasks) }
        if hasTrouble {
            set(.record, in: configuration.recordInterval, instant, &tasks)
        }
        if catalogue.hasUnsynced { set(.sync, in: Self.syncInterval, instant, &tasks) }
        listenToNetwork()
        if !short.isEmpty || crowd.limit != nil { set(.space, in: configuration.spaceInterval, instant, &tasks) }
        let time = instant - origin
        let wasActive = isActive
        isActive = signal.update(running: scheduler.runningCount, now: time)
        if isActive != wasActive { changes.notify() }
        if let change = signal.nextChange(now: time) { set(.signal(change), in: change - time, instant, &tasks) }
    }

    private func set(
        _ alarm: Alarm, in delay: Duration, _ instant: ContinuousClock.Instant, _ tasks: inout DiscardingTaskGroup
    ) {
        guard !isClosing, alarms.insert(alarm).inserted else { return }
        let due = instant + max(.zero, delay)
        tasks.addTask { [mailbox, clock] in
            try? await clock.sleep(until: due)
            mailbox.post(.alarm(alarm))
        }
    }
}

extension QueueEntry {
    /// Creates the entry for a row.
    init(_ row: QueueRow) {
        self.init(
            id: row.id, position: row.position, priority: Int16(clamping: row.priority), host: row.host,
            notBefore: row.notBefore ?? 0, ignoresLimits: row.startsAtOnce, goesFirst: row.wasActive)
    }
}

extension SchedulerConfiguration {
    /// Creates a configuration from the manager's settings.
    init(_ settings: ManagerSettings) {
        self.init()
        limit = settings.limit
        order = settings.order
        hostLimit = settings.hostLimit
    }
}

/// Idleness.
extension LocalManager {
    /// True if nothing is running or due to start: the remaining downloads are paused, wait for the caller, or have
    /// ended.
    ///
    /// If all that are queued wait for others, these others wait for the caller or have failed.
    var isIdle: Bool {
        live.isEmpty && counts[.queued, default: 0] == dependencies.count && counts[.active, default: 0] == 0
    }

    func idle() async {
        while !Task.isCancelled, let changeCount = changes.changeCount, !isIdle {
            await changes.wait(after: changeCount)
        }
    }

    /// Runs hook commands each time that the manager becomes idle.
    func lookForIdleness() {
        if isIdle, !wasIdle {
            let time = clock.milliseconds().date
            hooks.submit(.idle(time: time), to: settings.hooks)
            if let listener = configuration.listener, listener.on.contains(.idle) {
                listener.receive(HookNotification(.idle, time: time))
            }
        }
        wasIdle = isIdle
    }
}
