import HTTPTypes
package import HaulCore
package import HaulEngine
package import HaulFiles
package import HaulLibC
package import Logging
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Runs the downloads of a manager over the system's transfer service, which continues while the process does not run.
///
/// The manager's list stays what it is. `SessionMachine` decides what the system is asked for, and what becomes of what it
/// reports; a file that it has delivered is passed to the engine, which does with it what it does with any response.
///
///     manager ── run, stop ──► SessionMachine ──► SystemSession     tasks of the system
///        ▲                      (pure) ▲  │             │
///        └── events, end ◄─────────────┤  ▼             ▼
///                      engine ◄── SessionFolder ◄── delivered file
package final class SystemSessionBackend: RunBackend, SystemSessionDelegate {
    /// The files that the engine reads; its transport must be a `DeliveryTransport` over it.
    package let deliveries: DeliveryTable

    /// An order to the task of a run.
    private enum Order: Sendable {
        case check
        case end(SessionMachine.RunEnd)
    }

    /// A run of the manager.
    private struct Run {
        let spec: DownloadSpec
        let options: RunOptions
        let engine: DownloadEngine
        let source: String
        let inbox: Mailbox<Order>
        let onEvent: @Sendable (TransferEvent) -> Void
        let began: ContinuousClock.Instant
        /// The number of bytes that existed before the run; nil until that is known.
        var before: Int64?
        /// The bytes of the file and its size, while the system transfers it.
        var progress: (received: Int64, total: Int64?)?
        var meter = SpeedMeter()
        /// True if the path was reported to the manager.
        var hasStarted = false
        /// Stops the present verification; each has its own, since an event occurs once.
        var checkStop = OneShotEvent()
    }

    /// The data that came with the event that is being handled.
    private struct Payload {
        var resumeData: [UInt8]?
        var response: SystemResponse?
        var received: Int64 = 0
    }

    private struct State {
        var machine: SessionMachine
        var heads: [DownloadID: SessionFolder.Head]
        var runs: [DownloadID: Run] = [:]
        /// The bytes that tasks of an earlier process had received at launch.
        var foundBytes: [DownloadID: Int64] = [:]
        var standing: Standing
        var random = SystemRandomNumberGenerator()
        var answer: Answer?
        var hasLeft = false
    }

    private struct Standing {
        var of: @Sendable (DownloadID) -> SessionMachine.Standing
    }

    private struct Answer {
        var call: @Sendable () -> Void
    }

    private let session: any SystemSession
    private let folder: SessionFolder
    private let clock: TimeSource
    private let firstRetryDelay: Duration
    private let logger: Logger
    private let state: Mutex<State>

    /// Reads what an earlier process has left in the folder of the session, which is created if it is missing; blocks.
    ///
    /// - Throws: `DownloadError` with code `fileFailed`.
    package init(
        _ session: any SystemSession, folder path: String, deliveries: DeliveryTable, clock: TimeSource = .system,
        firstRetryDelay: Duration = .milliseconds(500), logger: Logger, system: SystemCalls = .live
    ) throws(DownloadError) {
        try FolderMaker.make(path)
        (self.session, self.clock, self.firstRetryDelay, self.logger) = (session, clock, firstRetryDelay, logger)
        self.deliveries = deliveries
        folder = SessionFolder(path: path, system: system)
        let found = folder.read()
        state = Mutex(
            State(
                machine: SessionMachine(
                    files: found.files.mapValues(\.source), resumeData: found.resumeData.mapValues(\.source)),
                heads: found.files, standing: Standing { _ in .kept }))
    }

    package func capabilities(_ own: Capabilities) -> Capabilities {
        own.union(.background).subtracting([.segments, .rateLimits])
    }

    package func open(_ standing: @escaping @Sendable (DownloadID) -> SessionMachine.Standing) async {
        state.withLock { $0.standing = Standing(of: standing) }
        session.attach(self)
        let tasks = await session.tasks().map {
            SessionMachine.HeldTask(id: $0.id, label: $0.label, received: $0.received)
        }
        state.withLock { state in
            for task in tasks {
                if let id = task.label?.download {
                    state.foundBytes[id] = max(task.received, state.foundBytes[id] ?? 0)
                }
            }
            let ids = state.machine.downloads.union(tasks.compactMap(\.label?.download))
            let standings = Dictionary(uniqueKeysWithValues: ids.map { ($0, standing($0)) })
            handle(.opened(tasks, standings), Payload(), &state)
        }
    }

    package func leave() { state.withLock { $0.hasLeft = true } }

    package func discard(_ id: DownloadID) { handle(.discard(id)) }

    package func run(
        _ id: DownloadID, _ spec: DownloadSpec, _ options: RunOptions, _ engine: DownloadEngine,
        until stop: OneShotEvent, onEvent: @escaping @Sendable (TransferEvent) -> Void
    ) async -> Result<FinishFacts, DownloadError> {
        let (source, inbox) = (Self.source(of: spec), Mailbox<Order>())
        do throws(DownloadError) {
            _ = try SystemRequest(spec, label: SessionLabel(download: id, source: source))
        } catch {
            return .failure(error)
        }
        var policy = spec.retryPolicy
        (policy.base, policy.unreachableLimit) = (firstRetryDelay, nil)
        let mayBePublished: Bool =
            if options.published != nil, let path = options.targetPath { await engine.fileExists(at: path) } else {
                false
            }
        let run = Run(
            spec: spec, options: options, engine: engine, source: source, inbox: inbox, onEvent: onEvent,
            began: clock.now)
        state.withLock { state in
            state.runs[id] = run
            if case .held = state.machine.work(id) { state.runs[id]?.before = state.foundBytes[id] ?? 0 }
            handle(.run(id, source: source, policy, mayBePublished: mayBePublished), Payload(), &state)
        }
        return await withTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                await stop.wait()
                self.state.withLock { state in
                    self.handle(.stop(id, leavesTask: state.hasLeft), Payload(), &state)
                }
            }
            tasks.addTask { await self.repeatProgress(of: id) }
            let result = await obey(inbox, of: id)
            tasks.cancelAll()
            return result
        }
    }

    /// Carries out the orders to a run until it ends.
    private func obey(_ inbox: Mailbox<Order>, of id: DownloadID) async -> Result<FinishFacts, DownloadError> {
        var facts: FinishFacts?
        while true {
            for order in await inbox.next() {
                switch order {
                case .check:
                    let (end, found) = await check(id)
                    if let found { facts = found }
                    handle(.checked(id, end))
                case .end(let end):
                    state.withLock { $0.runs[id] = nil }
                    switch end {
                    case .finished:
                        return facts.map { .success($0) }
                            ?? .failure(DownloadError(.internal, "a verified file has no facts; this is a bug in Haul"))
                    case .stopped: return .failure(DownloadError(.cancelled, "the download was stopped"))
                    case .failed(let error): return .failure(error)
                    }
                }
            }
        }
    }

    /// A digest of everything that a file depends on.
    private static func source(of spec: DownloadSpec) -> String {
        guard let url = try? SourceURL(parsing: spec.url) else { return "invalid" }
        return SourceIdentity.digest(url, spec.range)
    }

    // MARK: - The machine

    private func handle(_ event: SessionMachine.Event, _ payload: Payload = Payload()) {
        state.withLock { handle(event, payload, &$0) }
    }

    private func handle(_ event: SessionMachine.Event, _ payload: Payload, _ state: inout State) {
        var events = [event]
        while !events.isEmpty {
            for effect in state.machine.handle(events.removeFirst(), using: &state.random) {
                if let next = carryOut(effect, payload, &state) { events.append(next) }
            }
        }
    }

    private func carryOut(
        _ effect: SessionMachine.Effect, _ payload: Payload, _ state: inout State
    ) -> SessionMachine.Event? {
        switch effect {
        case .start(let id, let source, let fromResumeData, let delay):
            return start(id, source, fromResumeData: fromResumeData, after: delay, &state)
        case .cancel(let task): session.cancel(task)
        case .cancelKeeping(let task): session.cancelKeeping(task)
        case .storeResumeData(let id, let source): store(payload, id, source)
        case .dropResumeData(let id): folder.dropResumeData(id)
        case .dropFile(let id):
            folder.dropFile(id)
            state.heads[id] = nil
        case .check(let id):
            state.runs[id]?.checkStop = OneShotEvent()
            state.runs[id]?.progress = nil
            state.runs[id]?.inbox.post(.check)
        case .stopCheck(let id): state.runs[id]?.checkStop.set()
        case .report(let id, let received, let total): report(id, received, total, payload.response, &state)
        case .reportWait(let id, let error, let attempt, let delay):
            state.runs[id]?.progress = nil
            state.runs[id]?.onEvent(.waiting(.retrying(error, attempt: attempt), seconds: delay / .seconds(1)))
        case .end(let id, let end): state.runs[id]?.inbox.post(.end(end))
        case .answer: state.answer.take()?.call()
        }
        return nil
    }

    private func start(
        _ id: DownloadID, _ source: String, fromResumeData: Bool, after delay: Duration, _ state: inout State
    ) -> SessionMachine.Event {
        do throws(DownloadError) {
            guard let run = state.runs[id] else {
                throw DownloadError(.internal, "a task without a run; this is a bug in Haul")
            }
            var label = SessionLabel(download: id, source: source)
            guard fromResumeData else {
                if run.before == nil { state.runs[id]?.before = 0 }
                return .started(id, try session.start(try SystemRequest(run.spec, label: label), after: delay))
            }
            guard let stored = folder[resumeDataOf: id], stored.source == source else {
                throw DownloadError(.fileFailed, "the resume data of download \(id) can't be read")
            }
            label.version = stored.version
            if run.before == nil { state.runs[id]?.before = stored.received }
            return .started(id, try session.start(resuming: [UInt8](stored.data), label, after: delay))
        } catch {
            return .notStarted(id, error)
        }
    }

    /// Stores resume data; a failure costs only the bytes that were to be continued from.
    private func store(_ payload: Payload, _ id: DownloadID, _ source: String) {
        guard let data = payload.resumeData, let version = version(payload.response) else { return }
        do throws(FileError) {
            let stored = SessionFolder.Resume(
                source: source, version: version, received: payload.received, data: .init(data))
            try folder.store(stored, id)
        } catch {
            logger.warning(
                "resume data not stored", metadata: ["download": "\(id)", "error": "\(error.downloadError)"])
        }
    }

    private func version(_ response: SystemResponse?) -> String? {
        response.flatMap { DeliveryVerdict.version(of: $0.head, now: clock.seconds()) }
    }

    private func report(
        _ id: DownloadID, _ received: Int64, _ total: Int64?, _ response: SystemResponse?, _ state: inout State
    ) {
        // The bytes of an error page are not those of the file.
        guard var run = state.runs[id], response.map({ [200, 203, 206].contains($0.head.status.code) }) ?? true
        else { return }
        defer { state.runs[id] = run }
        let before = run.before ?? min(received, state.foundBytes[id] ?? 0)
        run.before = before
        if !run.hasStarted, let response {
            let named = response.head.headerFields[.contentDisposition]
            // A path that can't be determined is reported when the file is verified.
            guard let path = try? run.engine.path(of: run.spec, run.options, naming: named) else { return }
            run.hasStarted = true
            run.onEvent(
                .started(StartFacts(path: path, totalBytes: total, resumedBytes: before, insecure: false)))
        }
        guard run.hasStarted else { return }
        run.progress = (received, total)
        emitProgress(&run)
    }

    private func emitProgress(_ run: inout Run) {
        guard let (received, total) = run.progress else { return }
        let elapsed = clock.now - run.began
        run.meter.add(received, at: elapsed)
        let session = max(0, received - (run.before ?? 0))
        let speed = run.meter.speed
        var progress = TransferProgress(
            fileBytes: received, sessionBytes: session, totalBytes: total, speed: speed, connections: 1)
        progress.averageSpeed = elapsed > .zero ? Double(session) / (elapsed / .seconds(1)) : 0
        if let total, speed > 0 { progress.secondsLeft = Double(max(0, total - received)) / speed }
        run.onEvent(.progress(progress))
    }

    /// Reports the newest progress again and again, as the engine does: a manager leaves out reports that come too fast, and
    /// the system reports nothing while nothing comes.
    private func repeatProgress(of id: DownloadID) async {
        while (try? await clock.sleep(until: clock.now + Self.progressInterval)) != nil {
            state.withLock { state in
                guard var run = state.runs[id] else { return }
                emitProgress(&run)
                state.runs[id] = run
            }
        }
    }

    private static let progressInterval = Duration.milliseconds(100)

    // MARK: - Verification

    /// Has the engine verify the delivered file and give it its name, or find out whether it was published.
    private func check(_ id: DownloadID) async -> (SessionMachine.CheckEnd, FinishFacts?) {
        let (found, head) = state.withLock { state -> (Run?, SessionFolder.Head?) in
            let hasFile = state.machine.work(id) == .checking(hasFile: true)
            return (state.runs[id], hasFile ? state.heads[id] : nil)
        }
        guard let run = found else { return (.stopped, nil) }
        // Somebody may have emptied the folder: then the file is fetched again.
        if head != nil, !FileManager.default.fileExists(atPath: folder.file(id)) { return (.missing, nil) }
        if let refusal = head.flatMap({ refusal(of: $0.url, run.spec) }) { return (.failed(refusal), nil) }
        let number = deliveries.add(head.map { DeliveryTable.Delivery(path: folder.file(id), head: $0.response) })
        defer { deliveries.remove(number) }
        var spec = run.spec
        spec.headers.append(DownloadSpec.Header(name: DeliveryTransport.header, value: number))
        (spec.mirrors, spec.usesLinkedMirrors, spec.connections, spec.retries) = ([], false, .fixed(1), 0)
        (spec.rateLimit, spec.minSpeed, spec.maxTime) = (nil, nil, nil)
        var options = run.options
        (options.expectsSmall, options.limiter, options.slot) = (false, nil, nil)
        let result = await run.engine.run(spec, options, until: run.checkStop) { event in
            switch event {
            case .started: if !run.hasStarted { run.onEvent(event) }
            case .waiting, .notice: run.onEvent(event)
            case .progress, .finished, .failed: break
            }
        }
        switch result {
        case .success(var facts):
            // A file that came before the run, or that a killed process has named, was received by an earlier session.
            facts.sessionBytes = run.before.map { max(0, facts.totalBytes - $0) } ?? 0
            facts.seconds = (clock.now - run.began) / .seconds(1)
            return (.finished, facts)
        case .failure(let error):
            if error.code == .cancelled { return (.stopped, nil) }
            return (head == nil ? .missing : .failed(error), nil)
        }
    }

    /// Returns the error for a file that has come from a URL to which no redirect may lead.
    private func refusal(of url: String?, _ spec: DownloadSpec) -> DownloadError? {
        guard let asked = try? SourceURL(parsing: spec.url), asked.isSecure, !spec.allowsDowngrade,
            let url, let final = try? SourceURL(parsing: url), !final.isSecure
        else { return nil }
        return DownloadError(
            .redirectRefused, "a redirect leads from https to \(final.redacted)", detail: .downgrade)
    }
}

// MARK: - Reports of the system

extension SystemSessionBackend {
    package func received(_ task: SystemTask, total: Int64?, _ response: SystemResponse?) {
        guard let label = task.label else { return }
        handle(
            .progress(task.id, label, received: task.received, total: total), Payload(response: response))
    }

    package func delivered(_ task: SystemTask, at path: String, _ response: SystemResponse?) {
        guard let label = task.label else { return }
        state.withLock { state in
            // What is not taken is deleted by the system.
            guard state.machine.takes(task.id, label, state.standing.of(label.download)) else { return }
            handle(.delivered(task.id, label, take(path, label, response, &state)), Payload(), &state)
        }
    }

    /// Moves a delivered file into the folder, if it is of use.
    private func take(
        _ path: String, _ label: SessionLabel, _ response: SystemResponse?, _ state: inout State
    ) -> SessionMachine.Delivery {
        guard let response else {
            return .unusable(
                DownloadError(.badResponse, "the system delivered a file without a response"), .after(seconds: 0))
        }
        do throws(FileError) {
            let size = try folder.size(of: path)
            let verdict = DeliveryVerdict.judge(
                response.head, size: size, continuing: label.version, now: clock.seconds())
            switch verdict {
            case .whole(let head), .other(let head):
                let stored = SessionFolder.Head(head, url: response.url, source: label.source, size: size)
                try folder.keep(path, label.download, stored)
                state.heads[label.download] = stored
                return .kept
            case .unusable(let error, let again): return .unusable(error, again)
            }
        } catch {
            return .unusable(error.downloadError, .never)
        }
    }

    package func completed(_ task: SystemTask, _ failure: SystemFailure?, _ response: SystemResponse?) {
        guard let label = task.label else { return }
        let data = version(response) == nil ? nil : failure?.resumeData
        state.withLock { state in
            let completion: SessionMachine.Completion =
                failure.map { .failure($0.error, hasResumeData: data != nil) } ?? .success
            let standing = state.standing.of(label.download)
            let payload = Payload(resumeData: data, response: response, received: task.received)
            handle(.completed(task.id, label, completion, standing), payload, &state)
        }
    }

    package func resumeData(_ task: SystemTask, _ data: [UInt8]?, _ response: SystemResponse?) {
        let data = version(response) == nil ? nil : data
        handle(
            .resumeData(task.id, isThere: data != nil),
            Payload(resumeData: data, response: response, received: task.received))
    }

    package func reportedAll(answer: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.answer = Answer(call: answer)
            handle(.eventsDelivered, Payload(), &state)
        }
    }
}
