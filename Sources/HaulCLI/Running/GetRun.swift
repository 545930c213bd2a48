package import HaulCore

/// Runs the downloads of a plan: at most `jobs` at a time, begun in order, until the list ends or the run is stopped.
///
///     JobQueue -> (a child task each) -> download -> Console
package struct GetRun: Sendable {
    /// What runs one download: the engine, or a stand-in of a test.
    package typealias Download =
        @Sendable (
            DownloadSpec, @escaping @Sendable (TransferEvent) -> Void
        ) async -> Result<FinishFacts, DownloadError>

    private let jobs: Int
    private let console: Console
    private let download: Download

    /// Makes the run of a plan.
    package init(_ plan: GetPlan, console: Console, download: @escaping Download) {
        jobs = plan.jobs
        self.console = console
        self.download = download
    }

    /// Runs all of it and returns what stopped it, or nil where it ran to its end.
    ///
    /// The first value of `stops` cancels every download; it returns when they have saved and ended.
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
        var queue = queue
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            while let item = await queue.next() {
                guard case .job(let job, let spec) = item else {
                    if case .bad(let bad) = item { console.report(.badLine(bad)) }
                    continue
                }
                if running == jobs {
                    await group.next()
                    running -= 1
                }
                guard !Task.isCancelled else { return console.report(.cutShort) }
                await console.settle()
                console.report(.began(job))
                group.addTask { await run(job, spec) }
                running += 1
            }
            if Task.isCancelled, queue.mayHaveMore { console.report(.cutShort) }
        }
    }

    /// The end of a download is taken from its result alone, so that it is reported exactly once.
    private func run(_ job: Job, _ spec: DownloadSpec) async {
        let result = await download(spec) { event in
            switch event {
            case .started, .progress, .waiting, .notice: console.report(.event(job, event))
            case .finished, .failed: break
            }
        }
        switch result {
        case .success(let facts): console.report(.event(job, .finished(facts)))
        case .failure(let error): console.report(.event(job, .failed(error)))
        }
    }
}
