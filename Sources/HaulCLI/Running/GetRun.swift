package import Haul
package import HaulCore
import HaulFiles
import HaulLibC
import Synchronization

/// Runs the downloads of a plan: at most `jobs` at a time, started in order, until the list ends or the run is stopped.
///
///     JobQueue -> (a child task each) -> download -> Console
package struct GetRun: Sendable {
    /// A function that runs one download: the engine's, or a test's.
    package typealias Download =
        @Sendable (
            GetJob, DownloadSpec, any RunSlot, @escaping @Sendable (TransferEvent) -> Void
        ) async -> Result<FinishFacts, DownloadError>

    private let jobs: Int
    private let console: Console
    private let download: Download
    private let eventLoopExecutor: @Sendable () -> (any TaskExecutor)?

    /// Makes the run of a plan.
    ///
    /// - Parameter eventLoopExecutor: Returns the executor on which the next download should run; nil for the default.
    package init(
        _ plan: GetPlan, console: Console, eventLoopExecutor: @escaping @Sendable () -> (any TaskExecutor)? = { nil },
        download: @escaping Download
    ) {
        jobs = plan.jobs
        self.console = console
        self.eventLoopExecutor = eventLoopExecutor
        self.download = download
    }

    /// Runs all downloads and returns what stopped them, or nil if nothing did.
    ///
    /// The first value of `stops` cancels every download; the method returns when they have saved their state and
    /// ended.
    package func run(_ queue: JobQueue, stops: AsyncStream<StopReason>) async -> StopReason? {
        await withTaskGroup(of: StopReason?.self) { group in
            group.addTask {
                await runJobs(queue)
                return nil
            }
            group.addTask {
                for await reason in stops { return reason }
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            await group.waitForAll()
            return first
        }
    }

    private func runJobs(_ queue: JobQueue) async {
        let (feed, names) = (JobFeed(), NameOrder(now: Int64(time(nil))))
        let (needs, need) = AsyncStream.makeStream(of: Void.self)
        // Without a list, no worker is woken for nothing.
        let jobs = min(jobs, max(1, queue.total ?? jobs))
        let slots = JobSlots(jobs) { need.yield() }
        let mayHaveMore = await withTaskCancellationHandler {
            await withTaskGroup(of: Bool.self) { tasks in
                tasks.addTask {
                    let mayHaveMore = await fill(feed, names, from: queue)
                    feed.end(discarding: Task.isCancelled)
                    return mayHaveMore
                }
                func addWorker() {
                    tasks.addTask(executorPreference: eventLoopExecutor()) {
                        await work(feed, names, slots)
                        if slots.endWorker() { need.finish() }
                        return false
                    }
                }
                for _ in 0..<jobs { addWorker() }
                for await _ in needs { addWorker() }
                return await tasks.reduce(false) { $0 || $1 }
            }
        } onCancel: {
            feed.end(discarding: true)
            names.end()
        }
        for (job, facts) in names.doubtful { reportKept(facts, job, names) }
        if mayHaveMore || feed.hasDiscarded { console.report(.cutShort) }
    }

    /// Reports the end of a download whose existing file was kept, unless it is the file of another download of this run.
    private func reportKept(_ facts: FinishFacts, _ job: GetJob, _ names: NameOrder) {
        let error = names.keep(facts.path, job)
        console.report(.event(job, error.map { .failed($0) } ?? .finished(facts)))
    }

    /// Reads the queue into the feed.
    ///
    /// - Returns: True if items of the queue may be left.
    private func fill(_ feed: JobFeed, _ names: NameOrder, from queue: JobQueue) async -> Bool {
        var queue = queue
        await queue.readAhead(to: PlainReporter.many + 1)
        while let item = await queue.next() {
            var items = [item]
            while items.count < JobFeed.portion, let item = queue.nextRead() { items.append(item) }
            for case .job(let job, let spec) in items { names.add(job.id, spec, job.url) }
            console.report(.listed(queue.known))
            await console.settle()
            guard !Task.isCancelled else { return true }
            await feed.add(items)
        }
        return Task.isCancelled && queue.mayHaveMore
    }

    /// Runs downloads one after another, each as soon as there is a slot.
    private func work(_ feed: JobFeed, _ names: NameOrder, _ slots: JobSlots) async {
        while !Task.isCancelled, let item = await feed.next() {
            switch item {
            case .bad(let bad): console.report(.badLine(bad))
            case .job(let job, let spec):
                if names.mustWait(job.id) { await slots.awaitTurn { await names.turn(of: job.id) } }
                await slots.acquire()
                if Task.isCancelled {
                    feed.discard()
                } else {
                    console.report(.began(job))
                    await run(job, spec, names, slots.slot(of: job.id))
                }
                names.end(job.id)
                slots.leave(job.id)
            }
        }
    }

    /// Runs one download.
    ///
    /// The end is taken from the result alone, so that it is reported exactly once.
    private func run(_ job: GetJob, _ spec: DownloadSpec, _ names: NameOrder, _ slot: any RunSlot) async {
        var spec = spec
        if spec.onConflict != .rename, let path = NameOrder.expectedPath(spec, job.url) {
            if let error = names.conflict(at: path, job) { return console.report(.event(job, .failed(error))) }
            // A list has it twice: the file is kept, or compared with the checksum of this line.
            if await names.waitForSame(at: path, job) { spec.onConflict = .skip }
        }
        let path = Mutex<String?>(nil)
        let result = await download(job, spec, slot) { event in
            switch event {
            case .started(let facts):
                path.withLock { $0 = facts.path }
                names.take(facts.path, job)
                names.settle(job.id)
                console.report(.event(job, event))
            case .progress, .waiting, .notice: console.report(.event(job, event))
            case .finished, .failed: break
            }
        }
        switch result {
        case .success(let facts):
            if facts.kept {
                // A small file is there before its download is reported: at the end of the run, all are known.
                let identity = (try? SystemCalls.live.status(atPath: facts.path))?.identity
                if let identity, names.mayBeNew(identity) { return names.doubt(job, facts) }
                return reportKept(facts, job, names)
            }
            // Of names that the server chose. With `rename`, the path at the start need not be that of the end.
            if spec.onConflict == .replace || spec.onConflict == .keep,
                let error = names.replacement(at: facts.path, job)
            {
                return console.report(.event(job, .failed(error)))
            }
            console.report(.event(job, .finished(facts)))
        case .failure(let error):
            if let path = path.withLock({ $0 }) { names.release(path, job) }
            console.report(.event(job, .failed(error)))
        }
    }
}
