import HaulCore
import HaulStore
import Logging
import Synchronization

/// The manager that works in this process: what is behind a `DownloadManager` that was made from a configuration.
///
/// All that is asked of it passes one funnel: a command meets the pure `Lifecycle` and `Scheduler`, the outcome is recorded in the
/// catalogue, and only then anybody hears of it. Within an actor method there is no suspension between reading a state and recording
/// the next one.
///
///     verbs ──┐                        ┌─► catalogue ─► model's hook ─► subscribers ─► hook commands, notifier
///             ├─► Lifecycle ─► effects ┤
///     runs ───┘   (pure)               └─► Scheduler (pure) ─► runs: a child task each, through the engine
///
/// The words of its methods are those of `DownloadManager`, which promises what they do.
actor LocalManager: ManagerBackend {
    private let executor = QueueExecutor(label: "haul.manager")
    /// Its own thread: its catalogue may block.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    nonisolated let name: String
    nonisolated let capabilities: Capabilities
    nonisolated let openingNotice: String?

    nonisolated let hub: EventHub
    nonisolated let changes = ChangeSignal()
    nonisolated let mailbox = Mailbox<ManagerMessage>()
    /// Whether the list can be written.
    nonisolated let trouble = ListTrouble()
    let configuration: ManagerConfiguration
    /// Where folders are compared with the rule for places, which may block.
    let recordQueue = BlockingQueue(label: "haul.places")
    let engine: DownloadEngine
    let catalogue: Catalogue
    let hooks: HookRunner

    var settings: ManagerSettings
    var scheduler: Scheduler
    /// Those with a run, or with file work under way.
    var live: [DownloadID: LiveDownload] = [:]
    /// Specs with what is never stored.
    var secrets: [DownloadID: DownloadSpec] = [:]
    /// What limited the runs that ended last.
    var recent = RecentRecords()
    /// Those that wait for room on the disk: how much is missing, and where.
    var short: [DownloadID: Shortage] = [:]
    /// Runs that are over, while the catalogue can't record it.
    var unrecorded: [DownloadID: Result<FinishFacts, DownloadError>] = [:]
    /// Those whose turn came while the catalogue could not record or read it.
    var unstarted: Set<DownloadID> = []
    /// How many downloads may run while there are too few file descriptors for all that should.
    var crowd = CrowdLimit()
    /// File work that has begun or waits for its turn.
    var cleanupJobs = CleanupJobQueue()
    /// Those whose files were removed while the catalogue could not record it.
    var unforgotten: Set<DownloadID> = []
    /// How often in a row a download was short of room.
    var shortages: [DownloadID: Int] = [:]
    var counts: [StoredState: Int]
    var models = BoundModels()
    /// The last event that `unseenEvents` has told.
    var seen: Int64
    /// Those that were found rather than added, until `add` has had them go on.
    var joined: Set<DownloadID> = []
    /// Those who wait until a download has neither run nor file work.
    var settling: [DownloadID: [CheckedContinuation<DownloadError?, Never>]] = [:]
    var signal = ActivitySignal()
    /// What the signal last said.
    var isActive = false
    var alarms: Set<Alarm> = []
    var wasIdle = true
    var isClosing = false
    private var root: Task<Void, Never>?
    let origin = ContinuousClock.now

    /// Opens the list over a given engine.
    init(_ configuration: ManagerConfiguration, engine: DownloadEngine) async throws(DownloadError) {
        let resumes = configuration.resumesAtLaunch
        let opened: OpenedCatalogue
        do throws(DownloadError) {
            opened = try await BlockingQueue(label: "haul.open").call { () throws(DownloadError) in
                try OpenedCatalogue(configuration.storage, settings: configuration.settings, resumes: resumes)
            }
        } catch {
            await engine.shutdown()
            throw error
        }
        self.configuration = configuration
        self.engine = engine
        settings = configuration.settings
        name = configuration.name
        catalogue = opened.catalogue
        openingNotice = opened.catalogue.notice
        scheduler = opened.scheduler
        counts = opened.counts
        hub = EventHub(last: opened.lastEvent)
        seen = opened.lastEvent
        hooks = HookRunner(logger: configuration.logger)
        capabilities = Self.capabilities(configuration.storage)
        engine.setRate(settings)
        if let openingNotice {
            configuration.logger.error("corrupt catalogue moved away", metadata: ["notice": "\(openingNotice)"])
        }
        begin(opened.leftovers)
    }

    private func begin(_ leftovers: [StoredRecord]) {
        wasIdle = isIdle
        for record in leftovers {
            var entry = LiveDownload(record, spec: record.spec)
            entry.cleanup = LiveDownload.Cleanup(rest: [])
            live[record.id] = entry
            let cleanup = CleanupJob.discard(record.spec, RunOptions(record))
            mailbox.post(.cleanup(record.id, cleanup))
        }
        root = Task { await self.work() }
        mailbox.post(.wake)
    }

    /// The task tree: every run and every piece of file work is a child of this one.
    private func work() async {
        let hooking = Task { [hooks] in await hooks.run() }
        await withDiscardingTaskGroup { tasks in
            while !(isClosing && live.isEmpty) {
                for message in await mailbox.next() { handle(message, in: &tasks) }
                startDue(in: &tasks)
                setAlarms(in: &tasks)
                lookForIdleness()
            }
            tasks.cancelAll()
        }
        await engine.shutdown()
        hub.close()
        changes.close()
        catalogue.close()
        await end(hooking)
    }

    /// What has happened is told in full, but the hooks have only so long for it.
    private func end(_ hooking: Task<Void, Never>) async {
        let limit = Task { [grace = configuration.hookGrace] in
            try await Task.sleep(for: grace)
            hooking.cancel()
        }
        await hooks.idle()
        limit.cancel()
        await hooks.close()
        await hooking.value
    }

    func close() async {
        if !isClosing {
            isClosing = true
            for live in live.values { live.stop.set() }
            for id in unrecorded.keys { settle(id) }
            for id in unforgotten { settle(id) }
            mailbox.post(.wake)
        }
        await root?.value
    }

    private static func capabilities(_ storage: ManagerConfiguration.Storage) -> Capabilities {
        var result: Capabilities = [.segments, .rateLimits]
        switch storage {
        case .inMemory: break
        case .file: result.insert(.persistent)
        }
        if HookRunner.isSupported { result.insert(.hooks) }
        return result
    }
}

// MARK: - For tests and measurements

extension LocalManager {
    func abandon() { catalogue.abandon() }

    nonisolated func refuseRecords(_ refuses: Bool) { catalogue.refuseWrites(refuses) }

    nonisolated func inject(_ event: TransferEvent, of id: DownloadID) { mailbox.post(.emitted(id, event)) }
}
