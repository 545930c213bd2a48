import Haul
import HaulBatch
import HaulBatchRun
import HaulCore
import HaulServer
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs `haul batch`: connects the job to the engine, the terminal and the signals.
enum BatchProgram {
    static func run(_ plan: BatchPlan) async -> ExitCode {
        do throws(DownloadError) {
            switch plan.action {
            case .fetch: return try await fetch(plan)
            case .plan: return try await printShards(plan)
            case .check(let isDeep):
                let accounts = try await BatchCheck(plan.job, isDeep: isDeep).run()
                OutputFile.standardOutput.write(plan.json ? accounts.json + "\n" : accounts.text)
                return accounts.areComplete ? .complete : .mixed
            }
        } catch {
            OutputFile.standardError.write("haul: \(TerminalText.printable(error.description))\n")
            return ExitCode(error.code)
        }
    }

    private static func fetch(_ plan: BatchPlan) async throws(DownloadError) -> ExitCode {
        try TaskLimit.check(.batch)
        var job = plan.job
        let proxies = try plan.network.readSecrets(.process, into: &job.template)
        var configuration = EngineConfiguration()
        configuration.take(plan.network, proxies, .process)
        configuration.sharesLookups = true
        configuration.rateSchedule = plan.rate
        let engine = try plan.network.engine(configuration)
        let reporter = BatchReporter(plan)
        if reporter.isOnTerminal { job.reportInterval = .seconds(1) }
        let wait = InputWait(quiet: plan.quiet || plan.json)
        let run = BatchRun(job, engine, opened: { wait.end() }) { reporter.report($0) }
        let (stops, stop) = AsyncStream.makeStream(of: StopReason.self, bufferingPolicy: .bufferingOldest(1))
        let signals = SignalWatcher()
        wait.begin(reading: [job.manifest])
        signals.start(stop: { stop.yield($0) }, resumed: {}, isBlocked: { wait.isBlocked })
        let (result, reason) = await stoppable(run, stops)
        await engine.shutdown()
        signals.end()
        reporter.end()
        _ = try result.get()
        return reason?.exitCode ?? .complete
    }

    /// Runs until the end or the first signal.
    private static func stoppable(
        _ run: BatchRun, _ stops: AsyncStream<StopReason>
    ) async -> (Result<BatchTally, DownloadError>, StopReason?) {
        await withTaskGroup(of: (Result<BatchTally, DownloadError>?, StopReason?).self) { group in
            group.addTask {
                do throws(DownloadError) {
                    return (.success(try await run.run()), nil)
                } catch {
                    return (.failure(error), nil)
                }
            }
            group.addTask {
                for await reason in stops { return (nil, reason) }
                return (nil, nil)
            }
            var (result, reason): (Result<BatchTally, DownloadError>?, StopReason?)
            for await (ended, stopped) in group {
                result = result ?? ended
                if ended == nil || result == nil { reason = reason ?? stopped }
                group.cancelAll()
            }
            return (result ?? .failure(DownloadError(.internal, "the run ended without a result")), reason)
        }
    }

    private static func printShards(_ plan: BatchPlan) async throws(DownloadError) -> ExitCode {
        let job = plan.job
        guard job.division == .host else {
            throw DownloadError(.invalidRequest, "--plan shows --shard-by host; with row, all shards are equal")
        }
        let shards = try await BatchRun.plan(job)
        OutputFile.standardOutput.write(plan.json ? BatchText.json(shards) : BatchText.table(shards))
        return .complete
    }
}

/// Writes reports where the options say.
private final class BatchReporter: Sendable {
    private let plan: BatchPlan
    /// True if the last line on the terminal is to be replaced.
    private let hasLine = Mutex(false)
    let isOnTerminal: Bool

    init(_ plan: BatchPlan) {
        self.plan = plan
        isOnTerminal =
            !plan.quiet && !plan.json && OutputFile.standardError.isTerminal
            && TerminalEnvironment.process.canMoveCursor
    }

    func report(_ report: BatchReport) {
        if plan.json { OutputFile.standardOutput.write(report.json + "\n") }
        if let path = plan.prometheus {
            // Statistics that can't be written must not end the run.
            try? Data(report.prometheus(shard: plan.job.shard).utf8).write(
                to: URL(fileURLWithPath: path), options: .atomic)
        }
        guard !plan.quiet, !plan.json else { return }
        hasLine.withLock { hasLine in
            let start = hasLine ? "\r\u{1B}[K" : ""
            hasLine = isOnTerminal && !report.isFinal
            OutputFile.standardError.write(start + (hasLine ? bar(report) : TerminalText.printable(report.line) + "\n"))
        }
    }

    private func bar(_ report: BatchReport) -> String {
        let width = OutputFile.standardError.window?.columns ?? 80
        // In the last column, some terminals begin a new line.
        return BatchBar.line(report, width: width - 1, style: TerminalEnvironment.process.style)
    }

    func end() {
        hasLine.withLock { hasLine in
            if hasLine { OutputFile.standardError.write("\n") }
            hasLine = false
        }
    }
}
