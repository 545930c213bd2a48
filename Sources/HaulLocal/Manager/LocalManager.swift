import HaulCore
import HaulEngine
import HaulLibC
import HaulManager
import HaulStore
import Logging
import Synchronization

/// The implementation of a `DownloadManager` that was created from a configuration, in this process.
///
/// All changes take the same path: the pure `Lifecycle` and `Scheduler` decide on a command, the outcome is recorded in
/// the catalogue, and only then published. Within an actor method there is no suspension between reading a state and
/// recording the next one.
///
///     verbs ──┐                        ┌─► catalogue ─► model's hook ─► subscribers ─► hook commands, notifier
///             ├─► Lifecycle ─► effects ┤
///     runs ───┘   (pure)               └─► Scheduler (pure) ─► runs: a child task each, through the engine
///
/// Methods that have the name of a `DownloadManager` method do what is documented there.
actor LocalManager: ManagerBackend {
    private let executor = QueueExecutor(label: "haul.manager")
    /// A thread of its own, since the catalogue may block.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    nonisolated let name: String
    nonisolated let capabilities: Capabilities
    nonisolated let openingNotice: String?
    nonisolated let folder: String?
    nonisolated var workingFolder: String? { configuration.workingFolder() }

    nonisolated let hub: EventHub
    nonisolated let changes = ChangeSignal()
    nonisolated let mailbox = Mailbox<ManagerMessage>()
    /// The write failures of the list.
    nonisolated let trouble = ListTrouble()
    let configuration: ManagerConfiguration
    /// The queue for writing the list to the disk.
    let syncQueue = BlockingQueue(label: "haul.sync")
    let engine: DownloadEngine
    /// Performs the runs; nil: the engine does.
    let runs: (any RunBackend)?
    nonisolated let catalogue: Catalogue
    let hooks: HookRunner
    /// The number of hook commands that failed or were never run.
    let hookFailures = SharedCount()
    /// The ends of runs and downloads, for monitoring.
    var counters = RunCounters()

    var settings: ManagerSettings
    var scheduler: Scheduler
    /// The downloads with a run, or with file work in progress.
    var live: [DownloadID: LiveDownload] = [:]
    /// Specs with secrets, which are never stored.
    var secrets: [DownloadID: DownloadSpec] = [:]
    /// The limiting factors of the runs that ended last.
    var recent = RecentRecords()
    /// The queued downloads that wait until others have finished.
    var dependencies: Dependencies
    /// The queued downloads whose reported reason is no longer true, until the new one is reported.
    var outdated: Set<DownloadID> = []
    /// The time until which not-before times that have passed are in `outdated` or reported, in milliseconds since 1970.
    var passedUntil: Int64
    /// True if a download of the list may name others that must finish first.
    var mayHaveDependencies: Bool
    /// The downloads that wait for disk space, file descriptors or the network.
    var short: [DownloadID: Shortage] = [:]
    /// The results of runs whose end the catalogue could not record yet.
    var unrecorded: [DownloadID: Result<FinishFacts, DownloadError>] = [:]
    /// The downloads whose request an earlier process may have sent, and must not be repeated unless somebody asks for it.
    var unrepeatable: Set<DownloadID>
    /// The downloads whose turn came while the catalogue could not be written or read.
    var unstarted: Set<DownloadID> = []
    /// The changes of this turn's messages, which are recorded in one transaction; empty between turns.
    var group: [GroupEntry] = []
    /// True while a thread finds out whether a host can be reached, which may take as long as a name lookup.
    var isLookingForNetwork = false
    /// When the list is rewritten after a failed sync.
    var rewriting = RewriteSchedule()
    /// Reports changes of the network, once a download has waited for it.
    var networkMonitor: NetworkMonitor?
    /// The number of downloads that may run while file descriptors are scarce.
    var crowd = CrowdLimit()
    /// File work that is running or queued.
    var cleanupJobs = CleanupJobQueue()
    /// The number of commands in progress that may remove files.
    var removals = 0
    /// The failures to remove files, for these commands.
    var unremoved: [DownloadID: DownloadError] = [:]
    /// The downloads whose files were removed while the catalogue could not record it.
    var unforgotten: Set<DownloadID> = []
    /// The number of consecutive shortages of each download.
    var shortages: [DownloadID: Int] = [:]
    var counts: [StoredState: Int]
    var models = BoundModels()
    /// The last event that `unseenEvents` has delivered.
    var seen: Int64
    /// Continuations that wait until a download has neither run nor file work.
    var settling: [DownloadID: [CheckedContinuation<DownloadError?, Never>]] = [:]
    var signal = ActivitySignal()
    /// The last value of the signal.
    var isActive = false
    var alarms: Set<Alarm> = []
    /// The number of commands in progress that stop many downloads: until they are done, none starts.
    var startHolds = 0
    var pageEnds = PageEnds()
    var wasIdle = true
    var isClosing = false
    private var root: Task<Void, Never>?
    let clock: TimeSource
    let origin: ContinuousClock.Instant

    /// Opens the list, using an existing engine.
    init(
        _ configuration: ManagerConfiguration, engine: DownloadEngine, runs: (any RunBackend)? = nil
    ) async throws(DownloadError) {
        let resumes = configuration.resumesAtLaunch
        let opened: OpenedCatalogue
        do throws(DownloadError) {
            folder = try configuration.absoluteFolder
            try configuration.settings.check()
            try engine.setRate(configuration.settings)
            opened = try await BlockingQueue(label: "haul.open").call { [folder] () throws(DownloadError) in
                if let folder { try FolderMaker.make(folder) }
                return try OpenedCatalogue(configuration, resumes: resumes)
            }
        } catch {
            await engine.shutdown()
            throw error
        }
        self.configuration = configuration
        clock = configuration.clock
        origin = clock.now
        passedUntil = clock.milliseconds()
        (self.engine, self.runs) = (engine, runs)
        settings = configuration.settings
        name = configuration.name
        catalogue = opened.catalogue
        openingNotice = opened.catalogue.notice
        scheduler = opened.scheduler
        unrepeatable = opened.unrepeatable
        (dependencies, mayHaveDependencies) = (opened.dependencies, opened.hasDependencies)
        counts = opened.counts
        hub = EventHub(last: opened.lastEvent)
        seen = opened.lastEvent
        hooks = HookRunner(common: configuration.hookVariables, logger: configuration.logger) { [hookFailures] report in
            if !report.outcome.isSuccess { hookFailures.increase() }
        }
        let own = Self.capabilities(configuration)
        capabilities = runs?.capabilities(own) ?? own
        if let openingNotice {
            configuration.logger.error("corrupt catalogue moved away", metadata: ["notice": "\(openingNotice)"])
        }
        await runs?.open { [catalogue] in catalogue.standing(of: $0) }
        begin(opened.leftovers)
    }

    private func begin(_ leftovers: [Leftover]) {
        wasIdle = isIdle
        for leftover in leftovers {
            let record = leftover.record
            var entry = LiveDownload(record, spec: record.spec, clock)
            entry.cleanup = LiveDownload.Cleanup(
                rest: [leftover.removed.map { .forget($0) } ?? .emit(.cancelled(keptPartial: false))])
            live[record.id] = entry
            mailbox.post(
                .cleanup(
                    record.id,
                    leftover.removed == .all
                        ? .delete(record.spec, RunOptions(record), finished: record.lastFinish)
                        : .discard(record.spec, RunOptions(record))))
        }
        root = Task { await self.work() }
        mailbox.post(.wake)
    }

    /// The root of the task tree: every run and every piece of file work is a child of it.
    private func work() async {
        let hooking = Task { [hooks] in await hooks.run() }
        await withDiscardingTaskGroup { tasks in
            while !(isClosing && live.isEmpty) {
                for message in await mailbox.next() { handle(message, in: &tasks) }
                startDue(in: &tasks)
                reportReasons()
                recordGroup(in: &tasks)
                setAlarms(in: &tasks)
                lookForIdleness()
            }
            tasks.cancelAll()
        }
        networkMonitor = nil
        await engine.shutdown()
        hub.close()
        changes.close()
        await saveList()
        catalogue.close()
        await end(hooking)
    }

    /// Waits for pending hook commands, but not longer than `hookGrace`.
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
            runs?.leave()
            for live in live.values { live.stop.set() }
            for id in unrecorded.keys { settle(id) }
            for id in unforgotten { settle(id) }
            mailbox.post(.wake)
        }
        await root?.value
    }

    private static func capabilities(_ configuration: ManagerConfiguration) -> Capabilities {
        var result = FileAttributes.capabilities.union([.segments, .rateLimits])
        switch configuration.storage {
        case .inMemory: break
        case .file: result.insert(.persistent)
        }
        if HookRunner.isSupported { result.insert(.hooks) }
        if configuration.network.isMetered() != nil { result.insert(.networkKinds) }
        return result
    }
}

// MARK: - For tests and measurements

extension LocalManager {
    func abandon() { catalogue.abandon() }

    nonisolated func refuseRecords(_ refuses: Bool) { catalogue.refuseWrites(refuses) }

    nonisolated func inject(_ event: TransferEvent, of id: DownloadID) { mailbox.post(.emitted(id, event)) }
}
