import Haul
import HaulCore
import HaulServer
import Logging

/// Connects a plan to the engine, the terminal and the signals, and runs it.
enum GetProgram {
    static func run(_ plan: GetPlan) async -> ExitCode {
        let begin = ContinuousClock.now
        let (stops, stop) = AsyncStream.makeStream(of: StopReason.self, bufferingPolicy: .bufferingOldest(1))
        do throws(DownloadError) {
            try TaskLimit.check(.downloads(plan.jobs))
            var plan = plan
            let log: LogFile? = if let path = plan.logFile { try LogFile(path: path) } else { nil }
            let console = Console(reporters: reporters(for: plan), log: log, now: { ContinuousClock.now - begin }) {
                stop.yield(.outputClosed)
            }
            let quiet = plan.quiet
            let input = InputWait(quiet: quiet)
            try input.reading(plan.network.files.map(\.path)) { () throws(DownloadError) in
                try plan.readSecrets(.process)
            }
            let stream = try StreamRun(plan)
            let engine = try input.reading([plan.network.caCertificatePath]) { () throws(DownloadError) in
                try plan.network.engine(configuration(for: plan, console: console))
            }
            let report: @Sendable (String) -> Void = { if !quiet { console.report(.log($0)) } }
            // The downloads read these files themselves.
            let access = InputWait(report: report)
            // The list is read while they run.
            let firstJob = InputWait(report: report)
            let descriptions = descriptions(of: plan, engine, input)
            let signals = SignalWatcher()
            signals.start(
                stop: { reason in
                    stop.yield(reason)
                    descriptions?.cancel()
                }, resumed: { console.forgetFrame() }, isBlocked: { input.isBlocked || access.isBlocked })
            let queue: JobQueue
            do throws(DownloadError) {
                let specs: [DownloadSpec] =
                    if let descriptions { try await descriptions.value.get() } else { [] }
                queue = try input.reading([plan.list]) { () throws(DownloadError) in try open(plan, specs) }
            } catch {
                await engine.shutdown()
                signals.end()
                stop.finish()
                // If the user has stopped it, the error says nothing else.
                for await reason in stops { return reason.exitCode }
                throw error
            }
            console.start()
            let disk = DiskWait(ask: engine.onceThreadsRespond, report: report)
            disk.start()
            if plan.repeatedURLs > 0, !plan.quiet {
                console.report(.log("a URL that is given several times is downloaded once"))
            }
            if !plan.json, !plan.quiet, stream == nil, OutputFile.standardOutput.isRegularFile,
                OutputFile.standardError.isTerminal
            {
                console.report(.log("the data is not written to standard output: for that, add -o -"))
            }
            let watch = GetWatch(jobs: plan.jobs) { ContinuousClock.now - begin }
            let writer = WhyWriter(watch, plan)
            writer.start()
            let folders = FolderMaker()
            let waitsForNetwork = plan.waitsForNetwork
            let run = GetRun(plan, console: console, eventLoopExecutor: { engine.eventLoopExecutor() }) {
                job, spec, slot, receive in
                firstJob.end()
                defer { access.end() }
                let note: @Sendable (TransferEvent) -> Void = { event in
                    access.end()
                    receive(event)
                }
                return await watch.run(spec, onEvent: note) { watch, note in
                    guard let stream else {
                        do throws(DownloadError) {
                            try folders.prepare(for: spec)
                        } catch {
                            return .failure(error)
                        }
                        var options = RunOptions(spec, watch: watch, expectsSmall: true)
                        options.url = job.url
                        options.slot = slot
                        return await engine.run(
                            spec, options, waitsForNetwork: waitsForNetwork, onEvent: note)
                    }
                    return await stream.run(
                        spec, over: engine, watch: watch, waitsForNetwork: waitsForNetwork, onEvent: note)
                }
            }
            access.begin(reading: NetworkPlan.files(of: plan.template).map(\.path))
            firstJob.begin(reading: [plan.list])
            let stopped = await run.run(queue, stops: stops)
            firstJob.end()
            let reason = stream?.isClosed == true ? .outputClosed : stopped
            access.begin(for: "the disk of the state folder, to write the record for haul why", blocks: true)
            let record = await writer.end()
            access.end()
            disk.end()
            await engine.shutdown()
            let seconds = (ContinuousClock.now - begin) / .seconds(1)
            console.report(
                .closed(
                    Closing(
                        stop: reason, seconds: seconds, resumes: plan.template.resumes,
                        onConflict: plan.template.onConflict, streams: plan.streams)))
            await console.end()
            if plan.printsWhy { note(record) }
            signals.end()
            return console.exitCode(stop: reason)
        } catch {
            OutputFile.standardError.write("haul: \(TerminalText.printable(error.description))\n")
            return ExitCode(error.code)
        }
    }

    /// Reports what limited the downloads, on standard error, where it does not mix with events.
    private static func note(_ record: GetRecord) {
        var style = TerminalEnvironment.process.style
        style.colour = style.colour && OutputFile.standardError.isTerminal
        OutputFile.standardError.write("\n" + WhyText(record, isRunning: false, style: style).text)
    }

    /// Starts to read the Metalinks of a plan, which can be cancelled; nil if there are none.
    private static func descriptions(
        of plan: GetPlan, _ engine: DownloadEngine, _ input: InputWait
    ) -> Task<Result<[DownloadSpec], DownloadError>, Never>? {
        guard !plan.metalinks.isEmpty else { return nil }
        return Task { () -> Result<[DownloadSpec], DownloadError> in
            do throws(DownloadError) {
                return .success(try await MetalinkFiles.specs(of: plan, engine, input))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func open(_ plan: GetPlan, _ specs: [DownloadSpec]) throws(DownloadError) -> JobQueue {
        do throws(DownloadError) {
            return try JobQueue(
                urls: plan.urls, specs: specs, list: plan.list, template: plan.template, hosts: plan.hosts)
        } catch {
            throw DownloadError(error.code, "--input-file \(plan.list ?? ""): \(error.message)", cause: error.cause)
        }
    }

    private static func configuration(for plan: GetPlan, console: Console) -> EngineConfiguration {
        var configuration = EngineConfiguration()
        configuration.take(plan.network, plan.proxies, .process)
        configuration.rateLimit = plan.rateLimit
        configuration.rateSchedule = plan.rateSchedule
        configuration.endsWithProcess = true
        configuration.logger = Logger(label: "haul") { _ in
            ConsoleLogHandler(level: plan.logLevel) { console.report(.log($0)) }
        }
        return configuration
    }

    /// Returns the reporters for a plan.
    ///
    /// Bars are shown only on a terminal in whose foreground the run is; otherwise plain lines. With `--json`, events
    /// go to standard output, and only errors to standard error.
    private static func reporters(for plan: GetPlan) -> [any Reporter] {
        let environment = TerminalEnvironment.process
        var reporters: [any Reporter] = []
        if plan.json { reporters.append(JSONReporter()) }
        let verbosity = plan.json ? .quiet : plan.verbosity
        if verbosity == .normal, OutputFile.standardError.isTerminal, environment.canMoveCursor {
            reporters.append(JobControlReporter(style: environment.style, expected: plan.expected))
        } else {
            reporters.append(PlainReporter(expected: plan.expected, verbosity: verbosity))
        }
        if plan.logFile != nil { reporters.append(LogReporter(expected: plan.expected)) }
        return reporters
    }
}
